import type { BlockEdit } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import { actor, createBlockBench, defineAll } from "../testing/block-bench.test.helper.ts";

const ada = actor("ada");
const append = (content: string): BlockEdit => ({ op: "append", content });
const replace = (old: string, by: string): BlockEdit => ({ op: "replace", old, new: by });

describe("undo and redo", () => {
  test.each(["text", "list", "map", "composite"])("of a %s block go back and forth", async (label) => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    const edits: Readonly<Record<string, readonly BlockEdit[]>> = {
      text: [append("three\n"), replace("one", "ONE")],
      list: [append("three"), { op: "edit_range", start: 1, end: 1, content: "" }],
      map: [
        { op: "set_field", field: "name", value: "Ada" },
        { op: "set_field", field: "tags", value: ["a"] },
      ],
      composite: [
        { op: "set_field", field: "todo", value: ["a"] },
        { op: "set_field", field: "about", value: "you" },
      ],
    };
    const texts = [await blocks.text(label, ada)];
    for (const edit of edits[label] ?? []) {
      await blocks.edit(label, edit, ada);
      texts.push(await blocks.text(label, ada));
    }
    const seen: (string | undefined)[] = [];
    for (const op of ["undo", "undo", "redo", "redo", "undo"] as const) {
      await blocks.edit(label, { op }, ada);
      seen.push(await blocks.text(label, ada));
    }
    expect(seen).toEqual([texts[1], texts[0], texts[1], texts[2], texts[1]]);
    expect(await blocks.info(label, ada)).toMatchObject({ undo: 1, redo: 1 });
    await blocks.edit(label, edits[label]?.[1] as BlockEdit, ada);
    expect(await blocks.info(label, ada)).toMatchObject({ undo: 2, redo: 0 });
  });

  test("works in another process, where the edit was not made", async () => {
    const { blocks, other } = await createBlockBench();
    await defineAll(blocks);
    await blocks.edit("text", replace("one", "ONE"), ada);
    await other().edit("text", { op: "undo" }, ada);
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
  });

  describe.each(["this", "another"])("across a reload in %s process", (where) => {
    const MINE = "one\nmine\n";
    const THEIRS = "one\ntheirs\n";

    async function reloaded() {
      const bench = await createBlockBench({ a: "one\n" });
      const { blocks, file, other } = bench;
      await blocks.load("a", ada);
      await blocks.edit("a", append("mine\n"), ada);
      file.texts.set("a", THEIRS);
      await (where === "this" ? blocks : other()).reload("a", ada);
      return bench;
    }

    test("the old text rests on the old file, so it is not saved over the new one", async () => {
      const { blocks, file } = await reloaded();
      await blocks.edit("a", { op: "undo" }, ada);
      expect(await blocks.text("a", ada)).toBe(MINE);
      expect(await blocks.info("a", ada)).toMatchObject({ modified: true });
      expect(await blocks.status({ place: "a" }, ada)).toMatchObject([{ source: "changed" }]);
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "conflict" });
      expect(file.texts.get("a")).toBe(THEIRS);
      await blocks.reconcile("a", "merge", ada);
      await blocks.save("a", ada);
      expect(file.texts.get("a")).toContain("theirs\n");
      expect(file.texts.get("a")).toContain("mine\n");
    });

    test("the new text, made again, rests on the new file", async () => {
      const { blocks, file } = await reloaded();
      for (const op of ["undo", "undo", "redo", "redo"] as const) await blocks.edit("a", { op }, ada);
      expect(await blocks.info("a", ada)).toMatchObject({ modified: false });
      expect(await blocks.text("a", ada)).toBe(THEIRS);
      await blocks.edit("a", append("mine\n"), ada);
      await blocks.save("a", ada);
      expect(file.texts.get("a")).toBe(`${THEIRS}mine\n`);
    });

    test("going back, forth and back again is still a conflict", async () => {
      const { blocks, file } = await reloaded();
      for (const op of ["undo", "redo", "undo"] as const) await blocks.edit("a", { op }, ada);
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "conflict" });
      await blocks.edit("a", { op: "undo" }, ada);
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "conflict" });
      expect(file.texts.get("a")).toBe(THEIRS);
    });

    test("what was saved since is not overwritten either", async () => {
      const { blocks, file } = await reloaded();
      await blocks.edit("a", append("more\n"), ada);
      await blocks.save("a", ada);
      for (const op of ["undo", "undo"] as const) await blocks.edit("a", { op }, ada);
      expect(await blocks.text("a", ada)).toBe(MINE);
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "conflict" });
      expect(file.texts.get("a")).toBe(`${THEIRS}more\n`);
    });
  });

  test("across a load into a block that had no source leaves it without one again", async () => {
    const { blocks, file } = await createBlockBench();
    await blocks.create("a", "mine", ada);
    await blocks.remove("a", ada);
    file.texts.set("a", "theirs");
    await blocks.load("file:///a", ada);
    await blocks.edit("file:///a", { op: "undo" }, ada);
    expect(await blocks.text("file:///a", ada)).toBe("mine");
    await expect(blocks.save("file:///a", ada)).rejects.toMatchObject({ code: "not_found" });
    await blocks.edit("file:///a", { op: "redo" }, ada);
    expect(await blocks.text("file:///a", ada)).toBe("theirs");
    await blocks.save("file:///a", ada);
    expect(file.texts.get("a")).toBe("theirs");
  });

  test("a field that somebody set since stays, and the step before is taken back", async () => {
    const { blocks, store } = await createBlockBench();
    await defineAll(blocks);
    await blocks.edit("map", { op: "set_field", field: "age", value: 1 }, ada);
    await blocks.edit("map", { op: "set_field", field: "name", value: "Ada" }, ada);
    const [visible] = await store.find("ada", "map");
    const steps = visible?.record.undo ?? [];
    await blocks.edit("map", { op: "set_field", field: "name", value: "Eve" }, ada);
    const now = (await store.find("ada", "map"))[0]?.record.revision ?? 0;
    await store.commit({ id: visible?.record.id ?? "", expected: now, set: { undo: steps } });
    await blocks.edit("map", { op: "undo" }, ada);
    expect(await blocks.text("map", ada)).toBe("name: Eve\nid: id-1\n");
  });
});
