import { fileURLToPath } from "node:url";
import { createPolicy, createSourceManager, createToolRegistry, type ToolRegistry } from "@ikigai/core/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMcpServer, type McpServer } from "../serve/mcp-server.ts";
import { connectStreams, ERAS } from "../testing/harness.ts";
import { foreignPrompt, foreignPrompts } from "./foreign-prompts.ts";
import type { KeptPart } from "./foreign-result.ts";
import { mountedTemplates, uriOf } from "./foreign-templates.ts";
import { mcpResources } from "./mcp-resources.ts";
import { type MountedMcpServer, mountMcpServer } from "./mount-mcp-server.ts";

const passing = fileURLToPath(new URL("../../fixtures/passing-server.mjs", import.meta.url));
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
let registry: ToolRegistry;
let mounted: MountedMcpServer;
let mcp: McpServer;
let kept: KeptPart[];

beforeEach(async () => {
  registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }) });
  kept = [];
  mounted = await mountMcpServer({
    name: "passing",
    server: { command: process.execPath, args: [passing] },
    registry,
    passesForms: true,
    keep: async (part) => {
      kept.push(part);
      return `output:///${part.part}`;
    },
  });
  mcp = createMcpServer({ registry });
});
afterEach(async () => {
  mcp.close();
  await mounted.close();
});

describe.each(ERAS)("a client of %s", (era) => {
  test("gets pictures, sounds, links and embedded resources of a mounted server as they are", async () => {
    const { client } = await connectStreams(mcp, { era });
    const { content, isError } = await client.callTool({ name: "passing__show", arguments: {} });
    expect(isError).not.toBe(true);
    expect(content).toEqual(
      expect.arrayContaining([
        { type: "image", mimeType: "image/png", data: "iVBORw==" },
        { type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
        { type: "resource_link", uri: "notes://a", name: "a" },
        { type: "resource", resource: { uri: "notes://b", mimeType: "text/plain", text: "embedded" } },
        { type: "resource", resource: { uri: "notes://c", blob: "AAAA" } },
      ]),
    );
    expect(JSON.stringify(content[0])).toContain("look");
    expect(JSON.stringify(content[0])).toContain("output:///2");
    expect(kept.map(({ part, mimeType, bytes }) => [part, mimeType, Buffer.from(bytes).toString("base64")])).toEqual([
      [2, "image/png", "iVBORw=="],
      [3, "audio/wav", "UklGRg=="],
      [6, "application/octet-stream", "AAAA"],
    ]);
    await client.close();
  });

  test("is asked what a mounted server asks, and its answer goes back", async () => {
    const asked: string[] = [];
    const { client } = await connectStreams(mcp, {
      era,
      onForm: (message) => {
        asked.push(message);
        return { action: "accept", decision: "me" };
      },
    });
    const { content } = await client.callTool({ name: "passing__ask", arguments: {} });
    expect(asked).toEqual(['The MCP server "passing" asks:\n│ Who are you?\n│ Really?']);
    expect(JSON.stringify(content)).toContain("accept");
    await client.close();
  });

  test("that shows no forms closes what a mounted server asks", async () => {
    const { client } = await connectStreams(mcp, { era });
    const { content } = await client.callTool({ name: "passing__ask", arguments: {} });
    expect(JSON.stringify(content)).toContain("cancel");
    await client.close();
  });

  test("sees what a mounted server's tools say of themselves", async () => {
    const { client } = await connectStreams(mcp, { era });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "passing__show")?.inputSchema).toHaveProperty("$schema", DRAFT_07);
    expect(tools.find(({ name }) => name === "passing__show")?.annotations).toMatchObject({ readOnlyHint: true });
    expect(tools.find(({ name }) => name === "passing__ask")?.annotations).toEqual({ openWorldHint: false });
    await client.close();
  });
});

test("a caller that takes no attachments reads embedded text in the data", async () => {
  expect(await registry.call({ name: "passing__show", arguments: {} })).toEqual({
    success: true,
    data: {
      text: "look\n\nembedded",
      other: [
        "image image/png, 4 bytes, kept at output:///2",
        "audio audio/wav, 4 bytes, kept at output:///3",
        "resource notes://a",
        "resource notes://c application/octet-stream, 3 bytes, kept at output:///6",
      ],
    },
  });
});

test("a mounted server's question is closed while two calls run on that server", async () => {
  const asked: string[] = [];
  const ask = () =>
    registry.call(
      { name: "passing__ask", arguments: {} },
      {
        onForm: async ({ message }) => {
          asked.push(message);
          return { action: "decline" };
        },
      },
    );
  const answers = JSON.stringify(await Promise.all([ask(), ask()]));
  expect(answers).toContain("cancel");
  expect(asked.length).toBeLessThan(2);
});

test("prompts of a mounted server are passed on under its name", async () => {
  expect(await foreignPrompts(mounted)).toEqual([
    { name: "passing__greet", description: "Greets.", arguments: [{ name: "who", required: true }] },
  ]);
  expect(await foreignPrompt(mounted, "passing__greet", { who: "you" })).toEqual({
    messages: [
      { role: "user", text: "Hello you" },
      { role: "user", image: { mimeType: "image/png", data: "iVBORw==" } },
      { role: "user", audio: { mimeType: "audio/wav", data: "UklGRg==" } },
    ],
  });
  expect(await foreignPrompt(mounted, "other__greet", {})).toBeUndefined();
  await expect(foreignPrompt(mounted, "passing__none", {})).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("no prompt none") as string,
  });
});

test("resource templates of a mounted server are templates of its mount, and what they name is read", async () => {
  expect(await mountedTemplates(mounted, "passing")).toEqual([
    { uriTemplate: "passing:///notes/by-id/{id}", name: "passing: A note", mimeType: "text/markdown" },
  ]);
  const sources = createSourceManager();
  await sources.mount({ mount: "passing", source: mcpResources(mounted) });
  const read = async (path: string): Promise<string | undefined> =>
    (await sources.routePrefix("passing:///").source.read(path))?.text;
  expect(await read("notes/by-id/a b")).toBe("the note");
  expect(await read("notes/by-id/none")).toBeUndefined();
  expect(await read("notes/other")).toBeUndefined();
  await sources.close();
});

test("a path belongs to a template by its scheme and its fixed beginning", () => {
  expect(uriOf("notes://by-id/{id}", "notes/by-id/7")).toEqual(["notes://by-id/7"]);
  expect(uriOf("file:///{+path}", "file/a/b c")).toEqual(["file:///a/b%20c"]);
  expect(uriOf("urn:x:{id}", "urn/x:7")).toEqual(["urn:x:7"]);
  for (const [template, path] of [
    ["notes://by-id/{id}", "notes/by-id/"],
    ["notes://by-id/{id}", "notes/x"],
    ["notes://fixed", "notes/fixed"],
    ["no scheme", "no scheme"],
  ] as const) {
    expect(uriOf(template, path)).toEqual([]);
  }
});
