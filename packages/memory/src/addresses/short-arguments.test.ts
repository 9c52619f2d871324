import { expect, test } from "vitest";
import { type PlaceUse, SHORT_ARGUMENTS } from "./short-arguments.ts";

/** What a tool's arguments become where everything below `blocks` is stored. */
async function expanded(tool: string, given: object, hasWorkspace = true): Promise<unknown> {
  const expand = async (text: string, _: PlaceUse): Promise<string> =>
    /^blocks(\/|$)/.test(text) ? `ikigai:///${text}` : text;
  return SHORT_ARGUMENTS[tool]?.(given as Record<string, unknown>, { expand, hasWorkspace });
}

test.each([
  ["file_move", { from: "blocks/a", to: "b" }, { from: "ikigai:///blocks/a", to: "b" }],
  ["block", { op: "load", label: "blocks/a" }, { op: "load", label: "ikigai:///blocks/a" }],
  ["block", { op: "load", label: "blocks/a", source_id: "git" }, { op: "load", label: "blocks/a", source_id: "git" }],
  ["glob", { pattern: "blocks/**/*.md" }, { pattern: "ikigai:///blocks/**/*.md" }],
  ["glob", { pattern: "blocks/a.md" }, { pattern: "ikigai:///blocks/a.md" }],
  ["glob", { pattern: "blocks" }, { pattern: "blocks" }],
  ["glob", { pattern: "b*/**" }, { pattern: "b*/**" }],
  ["glob", { pattern: "blocks/**", path: "src" }, { pattern: "blocks/**", path: "src" }],
  ["glob", { pattern: "**", path: "blocks" }, { pattern: "**", path: "ikigai:///blocks" }],
  ["grep", { pattern: "x", glob: "blocks/**" }, { pattern: "x", glob: "blocks/**" }],
  ["create_note", { name: "blocks/N" }, { name: "ikigai:///blocks/N" }],
  ["create_note", { name: "N.md", folder: "blocks/" }, { name: "ikigai:///blocks/N" }],
  ["create_note", { name: "N", folder: "sub" }, { name: "N", folder: "sub" }],
  ["create_note", { name: 3 }, { name: 3 }],
  ["rename_note", { name: "a", new_name: "blocks/b" }, { name: "a", new_name: "ikigai:///blocks/b" }],
  ["list_notes", { path: "blocks" }, { path: "ikigai:///blocks" }],
])("%s takes %j as %j", async (tool, given, wanted) => {
  const before = structuredClone(given);
  expect(await expanded(tool, given)).toEqual(wanted);
  expect(given).toEqual(before);
});

test("without a workspace the glob of a search may begin in the store", async () => {
  expect(await expanded("grep", { pattern: "x", glob: "blocks/**" }, false)).toEqual({
    pattern: "x",
    glob: "ikigai:///blocks/**",
  });
  expect(await expanded("grep", { pattern: "x" }, false)).toEqual({ pattern: "x" });
});
