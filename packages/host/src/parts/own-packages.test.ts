import { DEFAULT_TOOLSETS, selectTools } from "@ikigai/mcp";
import { expect, test } from "vitest";
import { FEATURES, OWN_PACKAGES, TOOLSETS } from "./own-packages.ts";

test("the shell, blocks and rarely used note tools are not offered unless they are asked for", () => {
  const select = selectTools(DEFAULT_TOOLSETS, TOOLSETS);
  for (const tool of ["bash", "file", "block", "block_edit", "source", "delete_note", "search_by_tags"]) {
    expect(select(tool), tool).toBe(false);
  }
  for (const tool of ["recall", "file_read", "file_delete", "undo", "history", "grep", "read_note", "list_tags"]) {
    expect(select(tool), tool).toBe(true);
  }
});

test("toolsets are named in a fixed order, and every tool of a package is in one beside the default set", () => {
  expect(Object.keys(TOOLSETS)).toEqual(["default", "files", "blocks", "recall", "notes", "shell", "commands"]);
  const { default: byDefault = [], ...others } = TOOLSETS;
  const grouped = Object.values(others).flat();
  expect(grouped.length).toBe(new Set(grouped).size);
  for (const tool of [...byDefault, ...OWN_PACKAGES.flatMap(({ tools }) => tools)]) expect(grouped).toContain(tool);
});

test("features are told in a fixed order with the packages that each takes", () => {
  const store = ["@ikigai/database", "@ikigai/store-postgres", "@ikigai/source-postgres", "gpt-tokenizer"];
  expect(Object.entries(FEATURES).map(([name, { packages }]) => [name, packages])).toEqual([
    ["store", store],
    ["shell", ["@ikigai/shell"]],
    ["notes", ["@ikigai/notes"]],
    ["recall", ["@ikigai/recall", ...store]],
    ["mcp", ["@ikigai/mcp"]],
  ]);
});
