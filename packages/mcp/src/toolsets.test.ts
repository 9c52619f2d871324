import { expect, test } from "vitest";
import { fixtureRegistry } from "../fixtures/registry.mjs";
import { estimateCatalogTokens, selectTools } from "./toolsets.ts";

const TOOLSETS = { files: ["file_read", "file_write", "file_edit", "file", "glob", "grep"], shell: ["bash"] };

test("toolsets, tools and whole servers are selected by name", () => {
  const select = selectTools(["files", "read_note", "github__*"], TOOLSETS);
  for (const tool of ["file_read", "file_write", "file_edit", "file", "glob", "grep", "read_note", "github__issue"]) {
    expect(select(tool)).toBe(true);
  }
  for (const tool of ["bash", "block", "update_note", "github", "gitlab__issue"]) expect(select(tool)).toBe(false);
  for (const [toolsets, hint] of [
    [TOOLSETS, "Toolsets are: files, shell."],
    [{}, "Name a tool, or a server as server__*."],
  ] as const) {
    expect(() => selectTools(["Files"], toolsets)).toThrow(
      expect.objectContaining({ message: '"Files" names neither a toolset nor a tool', hint }),
    );
  }
});

test("the cost of a catalog is that of its parts", () => {
  const { cards } = fixtureRegistry().registry.snapshot({ select: selectTools(["echo", "sum"]) });
  const cost = estimateCatalogTokens(cards, (text) => text.length);
  expect(cost.tools.map(({ name }) => name)).toEqual(["echo", "sum"]);
  expect(cost.total).toBe(cost.tools.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(cost.total).toBeGreaterThan(100);
});
