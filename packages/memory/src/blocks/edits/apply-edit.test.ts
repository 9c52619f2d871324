import type { BlockEdit, BlockSchemaKind } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { createBlockDocument, textOf } from "../document/block-document.ts";
import type { BlockSchema } from "../block-schema.ts";
import { actor, createBlockBench, defineAll, NOW, SCHEMAS } from "../../testing/block-bench.test.helper.ts";
import { applyEdit, type ContentEdit } from "./apply-edit.ts";
import { loadLibraries } from "../document/libraries.ts";

await loadLibraries();

const EDITS: Readonly<Record<BlockEdit["op"], BlockEdit>> = {
  append: { op: "append", content: "three" },
  replace: { op: "replace", old: "one", new: "ONE" },
  patch: { op: "patch", patch: "@@ -1,1 +1,1 @@\n-one\n+ONE\n" },
  set_field: { op: "set_field", field: "name", value: "Ada" },
  edit_range: { op: "edit_range", start: 1, end: 1, content: "ONE" },
  undo: { op: "undo" },
  redo: { op: "redo" },
};

const TAKES: Readonly<Record<BlockSchemaKind, readonly BlockEdit["op"][]>> = {
  text: ["append", "replace", "patch", "edit_range", "undo", "redo"],
  list: ["append", "edit_range", "undo", "redo"],
  map: ["set_field", "undo", "redo"],
  log: ["append"],
  composite: ["set_field", "undo", "redo"],
};

const table = Object.keys(SCHEMAS).flatMap((kind) =>
  Object.keys(EDITS).map((op) => [op, kind, TAKES[kind as BlockSchemaKind].includes(op as BlockEdit["op"])] as const),
);

test.each(table)("%s on a block of schema %s: %s", async (op, kind, takes) => {
  const { blocks } = await createBlockBench();
  await defineAll(blocks);
  const before = await blocks.text(kind, actor());
  const edit = EDITS[op as BlockEdit["op"]];
  const adapted = kind === "composite" && edit.op === "set_field" ? { ...edit, field: "about" } : edit;
  const failure: unknown = await blocks.edit(kind, adapted, actor()).then(
    () => undefined,
    (error: unknown) => error,
  );
  const nothingToUndo = takes && (op === "undo" || op === "redo");
  expect((failure as { code?: string } | undefined)?.code).toBe(
    takes ? (nothingToUndo ? "not_found" : undefined) : "unsupported",
  );
  expect((await blocks.text(kind, actor())) !== before).toBe(takes && !nothingToUndo);
  expect(String(failure)).toContain(takes ? "" : `schema ${kind}`);
});

function edited(schema: BlockSchema, initial: string, edit: ContentEdit): string {
  const document = createBlockDocument(schema, new Map([["content", initial]]));
  applyEdit(document, edit, { label: "b", now: NOW });
  return textOf(document);
}

const text = (initial: string, edit: ContentEdit): string => edited({ kind: "text" }, initial, edit);

test("errors of edits say 1 line, 1 item and 1 match in the singular", () => {
  const list: BlockSchema = { kind: "list", default: ["a"] };
  const range: ContentEdit = { op: "edit_range", start: 3, end: 4, content: "x" };
  expect(() => text("a\n", range)).toThrow("has 1 line,");
  expect(() => text("a\nb\n", range)).toThrow("has 2 lines,");
  expect(() => applyEdit(createBlockDocument(list), range, { label: "b", now: NOW })).toThrow("has 1 item,");
  const second: ContentEdit = { op: "replace", old: "a", new: "b", mode: "nth", nth: 3 };
  expect(() => text("a", second)).toThrow("has 1 match and");
  expect(() => text("a a", second)).toThrow("has 2 matches and");
});

describe("append", () => {
  test("adds to the end and keeps the line endings of the text", () => {
    expect(text("a", { op: "append", content: "b" })).toBe("ab");
    expect(text("a\r\n", { op: "append", content: "b\n" })).toBe("a\r\nb\r\n");
  });

  test("nothing cannot be appended, nor half of a surrogate pair", () => {
    expect(() => text("a", { op: "append", content: "" })).toThrow("empty");
    expect(() => text("a", { op: "append", content: "\ud800" })).toThrow("surrogate");
  });

  test("a text that would grow too long is refused", () => {
    expect(() => text("a", { op: "append", content: "b".repeat(5_000_000) })).toThrow("5000001 characters");
  });

  test("a list is full at max_items, and a log lets its oldest go", async () => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    await blocks.edit("list", { op: "append", content: "three\nlines" }, actor());
    expect(await blocks.text("list", actor())).toBe("- one\n- two\n- three\n  lines\n");
    const full = blocks.edit("list", { op: "append", content: "four" }, actor());
    await expect(full).rejects.toMatchObject({ code: "over_budget", message: expect.stringContaining("4 items") });
    for (const content of ["a", "b", "c"]) await blocks.edit("log", { op: "append", content }, actor());
    expect(await blocks.text("log", actor())).toBe(`- ${NOW.toISOString()} b\n- ${NOW.toISOString()} c\n`);
  });
});

describe("replace", () => {
  const replace = (initial: string, edit: Omit<Extract<BlockEdit, { op: "replace" }>, "op">): string =>
    text(initial, { op: "replace", ...edit });

  test.each([
    ["the only match", "a b", { old: "b", new: "c" }, "a c"],
    ["all", "a a", { old: "a", new: "b", mode: "all" }, "b b"],
    ["the second", "a a a", { old: "a", new: "b", mode: "nth", nth: 2 }, "a b a"],
    ["a pattern", "x1 y22", { old: "([a-z])(\\d+)", new: "$2$1", mode: "regex" }, "1x 22y"],
    ["a pattern's second match", "x1 y22", { old: "\\d+", new: "<$0>", mode: "regex", nth: 2 }, "x1 y<22>"],
    ["named groups", "ab", { old: "(?P<first>a)", new: "${first}${first}", mode: "regex" }, "aab"],
    ["a group that took no part", "b", { old: "(a)?b", new: "[$1]", mode: "regex" }, "[]"],
    ["a dollar sign", "5", { old: "5", new: "$$5 $", mode: "regex" }, "$5 $"],
    ["emoji", "😀a😀", { old: ".a.", new: "😁", mode: "regex" }, "😁"],
    ["many places", "a b\n".repeat(500), { old: "b", new: "c", mode: "all" }, "a c\n".repeat(500)],
  ] as const)("%s", (_, initial, edit, result) => {
    expect(replace(initial, edit)).toBe(result);
  });

  test.each([
    [{ old: "a", new: "b" }, "ambiguous"],
    [{ old: "z", new: "b" }, "not_found"],
    [{ old: "a", new: "b", mode: "nth" }, "invalid_input"],
    [{ old: "a", new: "b", mode: "nth", nth: 3 }, "invalid_input"],
    [{ old: "a", new: "b", mode: "all", nth: 1 }, "invalid_input"],
    [{ old: "(", new: "b", mode: "regex" }, "invalid_input"],
    [{ old: "(?=a)", new: "b", mode: "regex" }, "invalid_input"],
    [{ old: "", new: "b", mode: "regex" }, "invalid_input"],
    [{ old: "a", new: "$1", mode: "regex" }, "invalid_input"],
    [{ old: "a", new: "${n}", mode: "regex" }, "invalid_input"],
    [{ old: "z", new: "b", mode: "regex" }, "not_found"],
    [{ old: "a", new: "a", mode: "regex" }, "invalid_input"],
  ] as const)("%j is refused as %s", (edit, code) => {
    expect(() => replace("a a", edit)).toThrow(expect.objectContaining({ code }));
  });

  test("a pattern whose searches take too long together ends with timeout", () => {
    const searching = (): string => replace("a".repeat(20_000), { old: "a.*b|a", new: "x", mode: "regex" });
    expect(searching).toThrow(expect.objectContaining({ code: "timeout" }));
  });
});

describe("edit_range", () => {
  test.each([
    ["a line", "a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"],
    ["a line with its line break", "a\nb\n", 2, 2, "B\n", "a\nB\n"],
    ["the last line without a line break", "a\nb", 2, 2, "B", "a\nB"],
    ["lines by nothing", "a\nb\nc\n", 1, 2, "", "c\n"],
    ["nothing, in front", "a\n", 1, 0, "x", "x\na\n"],
    ["nothing, behind", "a\n", 2, 1, "x", "a\nx"],
    ["nothing, behind an open line", "a", 2, 1, "x", "a\nx"],
    ["nothing, in an empty text", "", 1, 0, "x", "x"],
    ["a line of a CRLF text", "a\r\nb\r\n", 1, 1, "x\ny", "x\r\ny\r\nb\r\n"],
  ])("%s", (_, initial, start, end, content, result) => {
    expect(text(initial, { op: "edit_range", start, end, content })).toBe(result);
  });

  test.each([
    [0, 1, "x"],
    [2, 3, "x"],
    [4, 3, "x"],
    [2, 0, "x"],
    [1.5, 2, "x"],
    [1, 0, ""],
    [1, 1, "a"],
  ])("%d to %d by %j is refused", (start, end, content) => {
    expect(() => text("a\nb\n", { op: "edit_range", start, end, content })).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });

  test("items of a list are replaced, removed and inserted, within max_items", async () => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    const range = (start: number, end: number, content: string) =>
      blocks.edit("list", { op: "edit_range", start, end, content }, actor());
    await range(1, 0, "zero");
    await expect(range(1, 0, "more")).rejects.toMatchObject({ code: "over_budget" });
    await range(2, 2, "ONE");
    await range(3, 3, "");
    expect(await blocks.text("list", actor())).toBe("- zero\n- ONE\n");
    await expect(range(3, 3, "x")).rejects.toMatchObject({ message: expect.stringContaining("2 items") });
  });
});

describe("set_field", () => {
  async function set(label: string, field: string, value: unknown): Promise<string> {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    await blocks.edit(label, { op: "set_field", field, value }, actor());
    return blocks.text(label, actor());
  }

  test.each([
    ["map", "name", "Ada\nLovelace", "name: Ada\n  Lovelace\n"],
    ["map", "age", 36, "age: 36\n"],
    ["map", "kind", true, "kind: true\n"],
    ["map", "tags", ["a", "b"], 'tags: ["a","b"]\n'],
    ["map", "seen", "2026-01-31", "seen: 2026-01-31\n"],
    ["composite", "about", "you", "## about\nyou\n"],
    ["composite", "todo", ["a", "b"], "## todo\n- a\n- b\n"],
    ["composite", "facts.city", "Rome", "## facts\ncity: Rome\n"],
    ["composite", "facts", { city: "Oslo" }, "## facts\ncity: Oslo\n"],
    ["composite", "diary", "slept", `## diary\n- ${NOW.toISOString()} slept\n`],
  ])("%s: %s = %j", async (label, field, value, shown) => {
    expect(await set(label, field, value)).toContain(shown);
  });

  test.each([
    ["map", "name", 1, "invalid_input"],
    ["map", "age", "36", "invalid_input"],
    ["map", "age", Number.NaN, "invalid_input"],
    ["map", "kind", "yes", "invalid_input"],
    ["map", "tags", ["a", 1], "invalid_input"],
    ["map", "tags", "x".repeat(100), "invalid_input"],
    ["map", "tags", ["a", "b", "c"], "over_budget"],
    ["map", "seen", "yesterday", "invalid_input"],
    ["map", "seen", "2026-99-99", "invalid_input"],
    ["map", "name", undefined, "invalid_input"],
    ["map", "id", "id-2", "permission_denied"],
    ["map", "toString", "x", "not_found"],
    ["composite", "rules", "be cruel", "permission_denied"],
    ["composite", "rules.x", "be cruel", "permission_denied"],
    ["composite", "nowhere", "x", "not_found"],
    ["composite", "about.x", "x", "invalid_input"],
    ["composite", "about", 1, "invalid_input"],
    ["composite", "todo", "x", "invalid_input"],
    ["composite", "todo", ["a", "b", "c"], "over_budget"],
    ["composite", "facts", "x", "invalid_input"],
    ["composite", "facts", { city: "Oslo", planet: "Earth" }, "not_found"],
    ["composite", "diary", ["x"], "invalid_input"],
  ])("%s: %s = %j is refused as %s", async (label, field, value, code) => {
    await expect(set(label, field, value)).rejects.toMatchObject({ code });
  });

  test("null takes a field back to its default, and an equal value is no edit", async () => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    const name = (value: unknown) => blocks.edit("map", { op: "set_field", field: "name", value }, actor());
    expect((await name("Ada")).undo).toBe(1);
    expect((await name("Ada")).undo).toBe(1);
    await name(null);
    expect(await blocks.text("map", actor())).toContain("name: nobody\n");
    expect((await blocks.edit("map", { op: "set_field", field: "age", value: null }, actor())).undo).toBe(2);
  });
});
