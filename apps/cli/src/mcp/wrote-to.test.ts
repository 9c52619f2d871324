import type { Effect } from "@ikigai/core";
import { expect, test } from "vitest";
import { memoryName, wroteTo } from "@ikigai/host/mcp";
import { useServedWorkspace } from "./testing/use-served-workspace.ts";

const served = useServedWorkspace();
const options = { workspace: "/home/ada/shop", memory: "agent ada in /home/ada/store" };
const MEMORY = "memory: agent ada in /home/ada/store";
const WORKSPACE = "workspace: /home/ada/shop";

test.each([
  [[{ action: "update", target: "file:///a.md" }], WORKSPACE],
  [[{ action: "execute", target: "npm test" }], WORKSPACE],
  [[{ action: "create", target: "ikigai:///blocks/a.md" }], MEMORY],
  [[{ action: "append", target: "recall:///entries" }], MEMORY],
  [[{ action: "update", target: "pin:///ada" }], MEMORY],
  [[{ action: "admin", target: "budget:///ada" }], MEMORY],
  [[{ action: "admin", target: "share:///plan" }], MEMORY],
  [[{ action: "update", target: "host:///etc/hosts" }], "machine: /etc/hosts"],
  [[{ action: "create", target: "redis:///a" }], "source: redis"],
  [[{ action: "admin", target: "source:///clock" }], "source: clock"],
  [[{ action: "execute", target: "mcp://weather/set" }], undefined],
  [
    [
      { action: "read", target: "ikigai:///blocks/a.md" },
      { action: "delete", target: "ikigai:///blocks/a.md" },
      { action: "create", target: "file:///a.md" },
      { action: "create", target: "file:///b.md" },
    ],
    `${MEMORY}, ${WORKSPACE}`,
  ],
  [[{ action: "network", target: "https://example.org/" }], undefined],
  [[], undefined],
] as const satisfies readonly (readonly [readonly Effect[], string | undefined])[])(
  "effects %j are told as %s",
  (effects, place) => expect(wroteTo(effects, options)).toBe(place),
);

test("a server without a workspace names none", () => {
  expect(wroteTo([{ action: "execute", target: "ls" }], { ...options, workspace: undefined })).toBeUndefined();
});

test("the store of a server is named without its password", () => {
  const settings = { agent: "ada", stateDirectory: "/s", storeUrl: "postgres://ada:secret@host/db?password=other" };
  expect(memoryName(settings)).toBe("agent ada in postgres://ada@host/db");
});

test("each answer over MCP that wrote says whether the workspace or the memory of which agent was written", async () => {
  const { root, store } = served.workspace;
  const client = await served.connect(["--root", root, "--store", store, "--agent", "ada", "--approve", "all", "mcp"]);
  const lastLine = async (name: string, args: Record<string, unknown>): Promise<string | undefined> => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as readonly { readonly text: string }[])[0]?.text.split("\n").at(-1);
  };
  const memory = `[memory: agent ada in ${store}]`;
  expect(await lastLine("file_write", { path: "a.md", content: "a" })).toBe(`[workspace: ${root}]`);
  expect(await lastLine("file_write", { path: "ikigai:///blocks/a.md", content: "a" })).toBe(memory);
  expect(await lastLine("slash_command", { command: "/remember tests run with make" })).toBe(memory);
  expect(await lastLine("slash_command", { command: "/pin blocks/a" })).toBe(memory);
  expect(await lastLine("file_move", { from: "ikigai:///blocks/a.md", to: "b.md" })).toMatch(
    /memory: .*workspace: |workspace: .*memory: /,
  );
  expect(await lastLine("file_read", { path: "b.md" })).not.toContain("workspace:");
});
