import { expect, test } from "vitest";
import { useServedWorkspace } from "./testing/use-served-workspace.ts";

const served = useServedWorkspace();

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
