// A server with the tools, prompts and resources that the official conformance suite asks for by name.
// Listens on the port given; in front of the real endpoint stands a proxy that adds the token, since the suite has none.
import { createServer, request as httpRequest } from "node:http";
import { createPolicy, createToolRegistry, defineTool, IkigaiError } from "@ikigai/core";
import { createMcpApprovals, createMcpServer, serveHttp } from "@ikigai/mcp";
import { z } from "zod";

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
  tool("test_elicitation", async () => "asked", {
    input: z.object({ message: z.string().optional() }),
    effects: () => [{ action: "delete", target: "memory:///example" }],
  }),
  // The tools of the 2026 scenarios on input that is asked for: each needs a permission.
  ...["elicitation", "request_state", "tampered_state"].map((name) =>
    tool(`test_input_required_result_${name}`, async () => "asked", {
      effects: () => [{ action: "delete", target: `memory:///${name}` }],
    }),
  ),
  tool("test_trigger_tool_change", async () => {
    registry.register([tool(`changed_${Date.now()}`, async () => "new")]);
    return "changed";
  }),
  tool("json_schema_2020_12_tool", async () => "ok", {
    input: z
      .object({
        name: z.string().optional(),
        address: z.object({ street: z.string(), city: z.string() }).meta({ id: "address" }).optional(),
      })
      .strict(),
  }),
]);

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
