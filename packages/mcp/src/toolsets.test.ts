import { expect, test } from "vitest";
import { fixtureRegistry } from "../fixtures/registry.mjs";
import { DEFAULT_TOOLSETS, estimateCatalogTokens, selectTools } from "./toolsets.ts";

test("toolsets, tools and whole servers are selected by name", () => {
  const select = selectTools(["files", "read_note", "github__*"]);
  for (const tool of ["file_read", "file_write", "file_edit", "file", "glob", "grep", "read_note", "github__issue"]) {
    expect(select(tool)).toBe(true);
  }
  for (const tool of ["bash", "block", "update_note", "github", "gitlab__issue"]) expect(select(tool)).toBe(false);
  expect(() => selectTools(["Files"])).toThrow("names neither a toolset nor a tool");
});

test("the shell, blocks and rarely used note tools are not offered unless they are asked for", () => {
  const select = selectTools(DEFAULT_TOOLSETS);
  for (const tool of ["bash", "file", "block", "block_edit", "source", "delete_note", "search_by_tags"]) {
    expect(select(tool), tool).toBe(false);
  }
  for (const tool of ["recall", "file_read", "file_delete", "undo", "history", "grep", "read_note", "list_tags"]) {
    expect(select(tool), tool).toBe(true);
  }
});

test("the cost of a catalog is that of its parts", () => {
  const { cards } = fixtureRegistry().registry.snapshot({ select: selectTools(["echo", "sum"]) });
  const cost = estimateCatalogTokens(cards, (text) => text.length);
  expect(cost.tools.map(({ name }) => name)).toEqual(["echo", "sum"]);
  expect(cost.total).toBe(cost.tools.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(cost.total).toBeGreaterThan(100);
});
