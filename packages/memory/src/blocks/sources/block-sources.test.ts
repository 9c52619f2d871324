import type { BlockEdit } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { createBlocks } from "../blocks.ts";
import { actor, createBlockBench, SCHEMAS } from "../../testing/block-bench.test.helper.ts";

const ada = actor("ada");
const append = (content: string): BlockEdit => ({ op: "append", content });
const replace = (old: string, by: string): BlockEdit => ({ op: "replace", old, new: by });

describe("a block of a file", () => {
  test("is loaded, edited, compared and saved", async () => {
    const { blocks, file } = await createBlockBench({ "a.md": "one\ntwo\n" });
    const loaded = await blocks.load("a.md", ada);
    expect(loaded).toMatchObject({
      label: "file:///a.md",
      type: "working",
      schema: "text",
      permission: "admin",
      owner: "ada",
      chars: 8,
      lines: 2,
      modified: false,
      pinned: false,
      origin: { uri: "file:///a.md" },
    });
    const edited = await blocks.edit("file:///a.md", replace("two", "TWO"), ada);
    expect(edited).toMatchObject({ modified: true, undo: 1, redo: 0 });
    expect(edited.version).not.toBe(loaded.version);
    expect(file.texts.get("a.md")).toBe("one\ntwo\n");
    expect(await blocks.diff("a.md", ada)).toContain("-two\n+TWO\n");
    expect(await blocks.save("./a.md", ada)).toMatchObject({ modified: false });
    expect(file.texts.get("a.md")).toBe("one\nTWO\n");
    expect(await blocks.diff("a.md", ada)).toBe("");
    await blocks.edit("a.md", append("three\n"), ada);
    await blocks.save("a.md", ada);
    expect(file.texts.get("a.md")).toBe("one\nTWO\nthree\n");
  });

  test("is not saved over what somebody else wrote", async () => {
    const { blocks, file } = await createBlockBench({ a: "one" });
    await blocks.load("a", ada);
    await blocks.edit("a", append(" mine"), ada);
    file.texts.set("a", "one theirs");
    await expect(blocks.save("a", ada)).rejects.toMatchObject({
      code: "conflict",
      message: "file modified externally, use `file load` to refresh",
      hint: expect.stringMatching(/`file merge`.*`file reload`/),
    });
    expect(file.texts.get("a")).toBe("one theirs");
    expect(await blocks.text("a", ada)).toBe("one mine");
  });

  test("that somebody else saved with the same text is saved", async () => {
    const { blocks, file } = await createBlockBench({ a: "one" });
    await blocks.load("a", ada);
    await blocks.edit("a", append("!"), ada);
    file.texts.set("a", "one!");
    expect(await blocks.save("a", ada)).toMatchObject({ modified: false });
  });

  test("is saved whole whatever part of it is shown", async () => {
    const { blocks, file } = await createBlockBench({ a: "1\n2\n3\n4\n" });
    await blocks.load("a", ada);
    await blocks.setViewport("a", { start_line: 2, display_lines: 2 }, ada);
    expect(await blocks.view("a", ada)).toBe("2\n3\n[lines 2 to 3 of 4]\n");
    await blocks.edit("a", append("5\n"), ada);
    await blocks.save("a", ada);
    expect(file.texts.get("a")).toBe("1\n2\n3\n4\n5\n");
    await blocks.setViewport("a", { start_line: 1, display_lines: 9 }, ada);
    expect(await blocks.view("a", ada)).toBe("1\n2\n3\n4\n5\n");
    await blocks.setViewport("a", undefined, ada);
    expect(await blocks.view("a", ada)).toBe("1\n2\n3\n4\n5\n");
  });

  test("shows nothing beyond its end, and says so", async () => {
    const { blocks } = await createBlockBench({ a: "1\n2" });
    await blocks.load("a", ada);
    await blocks.setViewport("a", { start_line: 2, display_lines: 1 }, ada);
    expect(await blocks.view("a", ada)).toBe("2\n[lines 2 to 2 of 2]\n");
    await blocks.setViewport("a", { start_line: 5, display_lines: 1 }, ada);
    expect(await blocks.view("a", ada)).toBe("[lines 5 to 2 of 2]\n");
  });

  test("loaded again is refreshed, and refuses to drop unsaved edits", async () => {
    const { blocks, file } = await createBlockBench({ a: "one" });
    await blocks.load("a", ada);
    file.texts.set("a", "two");
    await blocks.load("a", ada);
    expect(await blocks.text("a", ada)).toBe("two");
    await blocks.edit("a", append(" mine"), ada);
    expect(await blocks.load("a", ada)).toMatchObject({ modified: true });
    file.texts.set("a", "three");
    await expect(blocks.load("a", ada)).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringMatching(/`file merge`.*`file reload`/),
    });
    expect(await blocks.text("a", ada)).toBe("two mine");
  });

  test.each(["changed", "unchanged"])(
    "reloaded from a source that is %s takes its text, and undo brings the edits back",
    async (source) => {
      const { blocks, file } = await createBlockBench({ a: "one" });
      await blocks.load("a", ada);
      await blocks.edit("a", append(" mine"), ada);
      const text = source === "changed" ? "other" : "one";
      file.texts.set("a", text);
      expect(await blocks.reload("a", ada)).toMatchObject({ modified: false });
      expect(await blocks.text("a", ada)).toBe(text);
      await blocks.edit("a", { op: "undo" }, ada);
      expect(await blocks.text("a", ada)).toBe("one mine");
      await blocks.reload("a", ada);
      expect(await blocks.reload("a", ada)).toMatchObject({ modified: false });
    },
  );

  test("created is never over existing text, and removed leaves the block with its history", async () => {
    const { blocks, file } = await createBlockBench({ a: "one" });
    await expect(blocks.create("a", "two", ada)).rejects.toMatchObject({ code: "conflict" });
    expect(await blocks.create("b", "new", ada)).toMatchObject({ origin: { uri: "file:///b" }, modified: false });
    await blocks.remove("b", ada);
    expect(file.texts.has("b")).toBe(false);
    const info = await blocks.info("b", ada);
    expect(info.origin).toBeUndefined();
    expect(info.modified).toBe(false);
    expect(await blocks.status({ place: "b" }, ada)).toMatchObject([{ source: "none" }]);
    for (const withoutSource of [blocks.save("b", ada), blocks.diff("b", ada), blocks.reload("b", ada)]) {
      await expect(withoutSource).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await blocks.load("b", ada)).toMatchObject({ chars: 3 });
    await blocks.create("b", "newer", ada);
    expect((await blocks.history("b", ada)).map(({ text, message }) => [message, text])).toEqual([
      ["create", "newer"],
      ["create", "new"],
    ]);
    await blocks.remove("b", ada);
    file.texts.set("b", "newer");
    expect(await blocks.load("file:///b", ada)).toMatchObject({ origin: { uri: "file:///b" }, undo: 1 });
    await blocks.remove("b", ada);
    file.texts.set("b", "back");
    expect(await blocks.load("file:///b", ada)).toMatchObject({ origin: { uri: "file:///b" } });
    expect(await blocks.text("b", ada)).toBe("back");
  });

  test("a path that is not loaded is removed too, and one that changed is not", async () => {
    const { blocks, file } = await createBlockBench({ a: "one", b: "two" });
    await blocks.remove("a", ada);
    await blocks.load("b", ada);
    file.texts.set("b", "changed");
    await expect(blocks.remove("b", ada)).rejects.toMatchObject({ code: "conflict" });
    expect([...file.texts.keys()]).toEqual(["b"]);
  });

  test("a removal that was decided for another version than the loaded one is refused, and removes nothing", async () => {
    const { blocks, file } = await createBlockBench({ a: "one" });
    const { origin } = await blocks.load("a", ada);
    await expect(blocks.remove("a", ada, { expected: "older" })).rejects.toMatchObject({ code: "conflict" });
    expect(file.texts.get("a")).toBe("one");
    await blocks.remove("a", ada, { expected: String(origin?.version) });
    expect(file.texts.has("a")).toBe(false);
  });

  test("says how its source stands", async () => {
    const { blocks, file } = await createBlockBench({ a: "1", b: "2", c: "3" });
    for (const path of ["a", "b", "c"]) await blocks.load(path, ada);
    await blocks.define({ label: "persona", type: "core", schema: SCHEMAS.text }, ada);
    file.texts.set("b", "changed");
    file.texts.delete("c");
    const statuses = await blocks.status({ mount: "file" }, ada);
    expect(statuses.map(({ label, source }) => [label, source])).toEqual([
      ["file:///a", "unchanged"],
      ["file:///b", "changed"],
      ["file:///c", "removed"],
    ]);
    await expect(blocks.load("c", ada)).rejects.toMatchObject({ code: "not_found" });
    await expect(blocks.reload("c", ada)).rejects.toMatchObject({ code: "not_found" });
    expect(await blocks.diff("c", ada)).toContain("+3");
  });

  test("what is nowhere is not found, in words that fit", async () => {
    const { blocks, sources } = await createBlockBench();
    await expect(blocks.load("nowhere", ada)).rejects.toMatchObject({ code: "not_found" });
    await expect(blocks.load("../x", ada)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.load("other:///x", ada)).rejects.toThrow('No source is mounted as "other"');
    await expect(blocks.text("nowhere", ada)).rejects.toMatchObject({ code: "not_found" });
    await sources.unmount("file");
    await expect(blocks.load("persona", ada)).rejects.toThrow('There is no block "persona"');
  });

  test("a fault of the source's own rules is not mistaken for an absent one", async () => {
    const { sources, store } = await createBlockBench();
    const broken = {
      ...sources,
      route: () => {
        throw new Error("rules on fire");
      },
    };
    await expect(createBlocks({ sources: broken, store }).info("a", ada)).rejects.toThrow("rules on fire");
  });

  test("a file of the same name is not the block's", async () => {
    const { blocks } = await createBlockBench({ persona: "a file" });
    await blocks.define({ label: "persona", type: "core", schema: SCHEMAS.text }, ada);
    expect(await blocks.load("persona", ada)).toMatchObject({ label: "persona", type: "core" });
    expect(await blocks.text("persona", ada)).toBe("one\ntwo\n");
  });

  test("stays usable when its source is unmounted", async () => {
    const { blocks, sources } = await createBlockBench({ a: "one" });
    await blocks.load("a", ada);
    await sources.unmount("file");
    expect(await blocks.edit("file:///a", append("!"), ada)).toMatchObject({ permission: "admin", modified: true });
    await expect(blocks.save("file:///a", ada)).rejects.toMatchObject({ code: "not_found" });
  });

  test("text with half a surrogate pair is refused", async () => {
    const { blocks } = await createBlockBench({ a: "\ud800" });
    await expect(blocks.load("a", ada)).rejects.toMatchObject({ code: "unsupported" });
  });

  test("a NUL character is refused, in what is read and in what is created", async () => {
    const { blocks, file } = await createBlockBench({ a: "a\0b" });
    await expect(blocks.load("a", ada)).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("NUL"),
    });
    file.touches.length = 0;
    await expect(blocks.create("b", "a\0b", ada)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("contains a NUL character"),
    });
    expect(file.touches).toEqual([]);
  });

  test("a fault of the source is passed on when saving", async () => {
    const { blocks, file } = await createBlockBench({ a: "1" });
    await blocks.load("a", ada);
    file.interfere = () => {
      throw new Error("disk on fire");
    };
    await expect(blocks.save("a", ada)).rejects.toThrow("disk on fire");
  });
});
