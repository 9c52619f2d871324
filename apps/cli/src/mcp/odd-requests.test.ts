import type { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { callTool } from "./testing/official-client.ts";
import { useServedWorkspace } from "./testing/use-served-workspace.ts";

// Only the arguments of tools were looked at before they were used; prompts, resources and completions passed whatever a
// client sent on to the store, and database text came back.

const served = useServedWorkspace();

const DATABASE = /postgres|pglite|sqlstate|invalid byte sequence|syntax error|relation "|unexpectedly|\.ts:\d+/i;
const REQUESTS: readonly (readonly [string, (odd: string) => (client: Client) => Promise<unknown>])[] = [
  ["the name of a prompt", (odd) => (client) => client.getPrompt({ name: odd })],
  ["the name of a skill's prompt", (odd) => (client) => client.getPrompt({ name: `skills/${odd}` })],
  ["an argument of a prompt", (odd) => (client) => client.getPrompt({ name: "remember", arguments: { text: odd } })],
  [
    "the name of a prompt's argument",
    (odd) => (client) => client.getPrompt({ name: "remember", arguments: { [odd]: "x" } }),
  ],
  ["the address of a resource", (odd) => (client) => client.readResource({ uri: `ikigai:///${odd}` })],
  ["the whole URI of a resource", (odd) => (client) => client.readResource({ uri: odd })],
  ["a file's URI", (odd) => (client) => client.readResource({ uri: `file:///${odd}` })],
  ["a subscription", (odd) => (client) => client.subscribeResource({ uri: `ikigai:///${odd}` })],
  [
    "the value that is completed",
    (odd) => (client) =>
      client.complete({ ref: { type: "ref/prompt", name: "pin" }, argument: { name: "target", value: odd } }),
  ],
  [
    "the argument that is completed",
    (odd) => (client) =>
      client.complete({ ref: { type: "ref/prompt", name: "pin" }, argument: { name: odd, value: "x" } }),
  ],
  [
    "the prompt that is completed",
    (odd) => (client) =>
      client.complete({ ref: { type: "ref/prompt", name: odd }, argument: { name: "x", value: "x" } }),
  ],
  [
    "the template that is completed",
    (odd) => (client) =>
      client.complete({ ref: { type: "ref/resource", uri: odd }, argument: { name: "path", value: odd } }),
  ],
];

test("a NUL, half of a surrogate pair or a very long name in a prompt, a resource or a completion is a typed error", async () => {
  const { root, store } = served.workspace;
  const client = await served.connect(["--root", root, "--store", store, "--approve", "all", "mcp"]);
  expect(await callTool(client, "file_write", { path: "ikigai:///kept.md", content: "kept" })).toMatchObject({
    success: true,
  });
  for (const [what, make] of REQUESTS) {
    for (const odd of ["a\0b", "a\ud800b", "\udc00"]) {
      const error: unknown = await make(odd)(client).then(
        () => expect.fail(`${what} was taken`),
        (cause: unknown) => cause,
      );
      expect(error, what).toMatchObject({ data: { error_type: "invalid_input" } });
      expect((error as Error).message).toMatch(/contains (a NUL character|half of a surrogate pair)/);
    }
    for (const long of ["x".repeat(3_000), "x".repeat(9_000), "ü".repeat(200_000)]) {
      const said = await make(long)(client).then(
        () => "",
        (cause: Error & { data?: { error_type?: string } }) => {
          expect(cause.data?.error_type ?? "not_found", what).not.toBe("internal");
          return cause.message;
        },
      );
      expect(said).not.toMatch(DATABASE);
    }
  }
  expect(await callTool(client, "file_read", { path: "ikigai:///kept.md" })).toMatchObject({
    data: { content: "kept" },
  });
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("remember");
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain("ikigai:///kept.md");
});
