// A server with the tools, prompts and resources that the official conformance suite asks for by name.
// Listens on the port given; in front of the real endpoint stands a proxy that adds the token, since the suite has none.
import { createServer, request as httpRequest } from "node:http";
import { defineTool, IkigaiError } from "@ikigai/core";
import { createPolicy, createToolRegistry } from "@ikigai/core/host";
import { createMcpApprovals, createMcpServer, serveHttp } from "@ikigai/mcp";
import { z } from "zod";

const POLL_AFTER_MS = 500;
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";
/** A schema that no library made: what is written in it is what is listed. */
const json = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};
const writtenByHand = {
  "~standard": {
    version: 1,
    vendor: "conformance",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
};
const approvals = createMcpApprovals();
const registry = createToolRegistry({ approver: approvals.approver, policy: createPolicy({ mode: () => "edits" }) });
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
const tool = (name, run, more = {}) =>
  defineTool({ name, description: `Conformance: ${name}.`, input: z.object({}), effects: () => [], run, ...more });

registry.register([
  tool("test_simple_text", async () => "This is a simple text response for testing."),
  tool("test_error_handling", async () => {
    throw new IkigaiError("conflict", "This tool intentionally returns an error for testing");
  }),
  tool("test_tool_with_progress", async (_, { progress }) => {
    for (const step of ["0", "50", "100"]) {
      progress(`${step} of 100`);
      await pause();
    }
    return "done";
  }),
  tool("test_tool_with_logging", async () => {
    for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      mcp.log("info", message);
      await pause();
    }
    return "done";
  }),
  tool("test_image_content", async (_, { attach }) => {
    attach?.({ type: "image", mimeType: "image/png", data: PNG });
    return "an image";
  }),
  tool("test_audio_content", async (_, { attach }) => {
    attach?.({ type: "audio", mimeType: "audio/wav", data: WAV });
    return "a sound";
  }),
  tool("test_embedded_resource", async (_, { attach }) => {
    const text = "This is an embedded resource content.";
    attach?.({ type: "resource", uri: "test://embedded-resource", mimeType: "text/plain", text });
    return "a resource";
  }),
  tool("test_multiple_content_types", async (_, { attach }) => {
    attach?.({ type: "image", mimeType: "image/png", data: PNG });
    const text = JSON.stringify({ test: "data", value: 123 });
    attach?.({ type: "resource", uri: "test://mixed-content-resource", mimeType: "application/json", text });
    return "Multiple content types test:";
  }),
  // Longer than a stream stays open, so that the client has to come back.
  tool("test_reconnection", async () => {
    await new Promise((resolve) => setTimeout(resolve, 2 * POLL_AFTER_MS));
    return "Reconnection test completed successfully";
  }),
  asking(
    "test_elicitation",
    { username: { type: "string" }, email: { type: "string" } },
    { input: z.object({ message: z.string().optional() }) },
  ),
  asking("test_elicitation_sep1034_defaults", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  }),
  asking("test_elicitation_sep1330_enums", {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: titled("value", "Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: titled("value", "Choice") } },
  }),
  // The tools of the 2026 scenarios on input that is asked for.
  asking("test_input_required_result_elicitation", { name: { type: "string" } }, { key: "user_name" }),
  tool("test_input_required_result_multi_round", async (_, { askForm }) => {
    const string = { type: "string" };
    const first = await askForm?.({ key: "step1", message: "What is your name?", schema: formOf({ name: string }) });
    const second = await askForm?.({ key: "step2", message: "And a color?", schema: formOf({ color: string }) });
    return JSON.stringify([first, second]);
  }),
  ...["request_state", "tampered_state"].map((name) =>
    tool(`test_input_required_result_${name}`, async () => "asked", {
      effects: () => [{ action: "delete", target: `memory:///${name}` }],
    }),
  ),
  tool("test_trigger_tool_change", async () => {
    registry.register([tool(`changed_${Date.now()}`, async () => "new")]);
    return "changed";
  }),
  tool("json_schema_2020_12_tool", async () => "ok", { input: writtenByHand }),
]);

function formOf(properties) {
  const required = Object.keys(properties).filter((key) => properties[key].default === undefined);
  return { type: "object", properties, required };
}

function asking(name, properties, { key, ...more } = {}) {
  const run = async ({ message = "Please fill in the form." }, { askForm }) => {
    if (askForm === undefined) throw new IkigaiError("unsupported", "This client shows no forms");
    const { action, content = {} } = await askForm({ ...(key && { key }), message, schema: formOf(properties) });
    return `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
  };
  return tool(name, run, more);
}

function titled(value, title) {
  return ["First", "Second", "Third"].map((nth, index) => ({
    const: `${value}${index + 1}`,
    title: `${nth} ${title}`,
  }));
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const texts = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "watched" },
};
const resources = {
  list: async () => ({ items: Object.entries(texts).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })) }),
  templates: () => [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  async read(uri) {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      return [
        {
          uri,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ];
    }
    return texts[uri] && [{ uri, ...texts[uri] }];
  },
  onUpdate: () => ({ [Symbol.dispose]() {} }),
  onListChange: () => ({ [Symbol.dispose]() {} }),
};
const prompts = {
  list: async () => [
    { name: "test_simple_prompt", description: "Simple." },
    {
      name: "test_prompt_with_arguments",
      description: "With arguments.",
      arguments: [
        { name: "arg1", description: "First.", required: true },
        { name: "arg2", description: "Second.", required: true },
      ],
    },
    {
      name: "test_prompt_with_embedded_resource",
      description: "With a resource.",
      arguments: [{ name: "resourceUri", description: "Which.", required: true }],
    },
    { name: "test_prompt_with_image", description: "With a picture." },
  ],
  async get(name, { arg1, arg2, resourceUri: uri }) {
    if (name === "test_prompt_with_embedded_resource") {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      return {
        messages: [
          { role: "user", resource },
          { role: "user", text: "Please process the embedded resource above." },
        ],
      };
    }
    if (name === "test_prompt_with_image") {
      const image = { data: PNG, mimeType: "image/png" };
      return {
        messages: [
          { role: "user", image },
          { role: "user", text: "Please analyze the image above." },
        ],
      };
    }
    if (name === "test_simple_prompt")
      return { messages: [{ role: "user", text: "This is a simple prompt for testing." }] };
    if (name !== "test_prompt_with_arguments") return undefined;
    return { messages: [{ role: "user", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }] };
  },
};

const mcp = createMcpServer({
  registry,
  approvals,
  resources,
  prompts,
  pollAfterMs: POLL_AFTER_MS,
  complete: async ({ value }) => ["paris", "park", "party"].filter((word) => word.startsWith(value)),
});
const serving = await serveHttp(mcp);
createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${serving.token}` };
  const { method, url } = incoming;
  const forwarded = httpRequest({ port: serving.port, host: "127.0.0.1", method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}).listen(Number(process.argv[2]), "127.0.0.1", () => process.stdout.write("ready\n"));
