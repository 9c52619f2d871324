import { IkigaiError, type BlockEdit, type MemoryPermission } from "@ikigai/core";
import { describe, expect, test } from "vitest";
import type { BlockStore } from "./block-store.ts";
import { createBlocks } from "./blocks.ts";
import { createMemoryBlockStore } from "./memory-block-store.ts";
import { actor, createBlockBench, defineAll, NOW, SCHEMAS } from "./testing/block-bench.test.helper.ts";

const ada = actor("ada");
const bob = actor("bob");
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
    await expect(blocks.load("a", ada)).rejects.toMatchObject({ code: "conflict" });
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

  test("a fault of the source is passed on when saving", async () => {
    const { blocks, file } = await createBlockBench({ a: "1" });
    await blocks.load("a", ada);
    file.interfere = () => {
      throw new Error("disk on fire");
    };
    await expect(blocks.save("a", ada)).rejects.toThrow("disk on fire");
  });
});

describe("reconcile", () => {
  async function bothChanged(ask?: Parameters<typeof createBlocks>[0]["ask"]) {
    const bench = await createBlockBench({ a: "one\ntwo\nthree\n" }, ask === undefined ? {} : { ask });
    await bench.blocks.load("a", ada);
    await bench.blocks.edit("a", replace("one", "ONE"), ada);
    bench.file.texts.set("a", "one\ntwo\nTHREE\nfour\n");
    return bench;
  }

  test.each([
    ["merge", "ONE\ntwo\nTHREE\nfour\n"],
    ["disk_wins", "one\ntwo\nTHREE\nfour\n"],
    ["agent_wins", "ONE\ntwo\nthree\n"],
  ] as const)("%s", async (strategy, text) => {
    const { blocks, file } = await bothChanged();
    await blocks.reconcile("a", strategy, ada);
    expect(await blocks.text("a", ada)).toBe(text);
    await blocks.save("a", ada);
    expect(file.texts.get("a")).toBe(text);
    const past = (await blocks.history("a", ada)).map((revision) => revision.text);
    expect(past).toContain("ONE\ntwo\nthree\n");
  });

  test("merging a second time starts from where the first one ended", async () => {
    const { blocks, file } = await bothChanged();
    await blocks.reconcile("a", "merge", ada);
    file.texts.set("a", "zero\none\ntwo\nTHREE\n");
    await blocks.reconcile("a", "merge", ada);
    expect(await blocks.text("a", ada)).toBe("zero\nONE\ntwo\nTHREE\n");
    expect(await blocks.reconcile("a", "merge", ada)).toMatchObject({ modified: true });
  });

  test("undo after a merge takes back the agent's edit and nothing of the disk's", async () => {
    const { blocks } = await bothChanged();
    await blocks.reconcile("a", "merge", ada);
    await blocks.edit("a", { op: "undo" }, ada);
    expect(await blocks.text("a", ada)).toBe("one\ntwo\nTHREE\nfour\n");
    await blocks.edit("a", { op: "redo" }, ada);
    expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nTHREE\nfour\n");
  });

  test("a disk that came to the agent's own text wins without an edit", async () => {
    const { blocks, file } = await bothChanged();
    file.texts.set("a", "ONE\ntwo\nthree\n");
    expect(await blocks.reconcile("a", "disk_wins", ada)).toMatchObject({ modified: false, undo: 1 });
  });

  test("what was edited and taken back counts as untouched when the disk's change arrives", async () => {
    const { blocks, file } = await bothChanged();
    await blocks.edit("a", { op: "undo" }, ada);
    await blocks.edit("a", replace("two", "TWO"), ada);
    file.texts.set("a", "five\ntwo\nthree\n");
    await blocks.reconcile("a", "merge", ada);
    expect(await blocks.text("a", ada)).toBe("five\nTWO\nthree\n");
  });

  test("undo after disk_wins brings the agent's text back", async () => {
    const { blocks } = await bothChanged();
    await blocks.reconcile("a", "disk_wins", ada);
    await blocks.edit("a", { op: "undo" }, ada);
    expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nthree\n");
  });

  test("ask is a conflict that shows both sides when nobody can be asked", async () => {
    const { blocks } = await bothChanged();
    await expect(blocks.reconcile("a", "ask", ada)).rejects.toMatchObject({
      code: "conflict",
      details: { diff: expect.stringContaining("+ONE") },
    });
    expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nthree\n");
  });

  test("ask does what was answered, and asks nothing when only the source changed", async () => {
    const asked: string[] = [];
    const { blocks, file } = await bothChanged(async ({ label }) => {
      asked.push(label);
      return "disk_wins";
    });
    await blocks.reconcile("a", "ask", ada);
    expect(await blocks.text("a", ada)).toBe("one\ntwo\nTHREE\nfour\n");
    file.texts.set("a", "five\n");
    await blocks.reconcile("a", "ask", ada);
    expect(await blocks.text("a", ada)).toBe("five\n");
    expect(asked).toEqual(["file:///a"]);
  });

  test("a removed file leaves the block; a save creates it again unless the disk won", async () => {
    for (const strategy of ["merge", "agent_wins", "disk_wins"] as const) {
      const { blocks, file } = await bothChanged();
      file.texts.delete("a");
      const info = await blocks.reconcile("a", strategy, ada);
      expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nthree\n");
      const saved = await blocks.save("a", ada).then(
        () => "saved",
        (error: unknown) => (error as { code: string }).code,
      );
      expect([strategy, info.origin?.version, saved]).toEqual(
        strategy === "disk_wins" ? [strategy, undefined, "not_found"] : [strategy, "removed", "saved"],
      );
    }
  });

  test("ask about a removed file shows what would be lost", async () => {
    const { blocks, file } = await bothChanged();
    file.texts.delete("a");
    await expect(blocks.reconcile("a", "ask", ada)).rejects.toMatchObject({ code: "conflict" });
  });

  test("what may not be changed is not overruled, but the source's changes still arrive", async () => {
    const { blocks, file } = await bothChanged();
    file.permission = "read_only";
    await expect(blocks.reconcile("a", "disk_wins", ada)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.reload("a", ada)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "permission_denied" });
    await blocks.reconcile("a", "merge", ada);
    expect(await blocks.text("a", ada)).toContain("THREE");
  });

  test("a change in the source reaches the blocks of every owner", async () => {
    const { blocks, file } = await bothChanged();
    await blocks.load("a", bob);
    file.texts.set("a", "one\ntwo\nTHREE\nFOUR\n");
    expect(await blocks.onSourceChange("a")).toEqual([
      { label: "file:///a", owner: "ada", outcome: "reconciled" },
      { label: "file:///a", owner: "bob", outcome: "reconciled" },
    ]);
    expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nTHREE\nFOUR\n");
    expect(await blocks.text("a", bob)).toBe("one\ntwo\nTHREE\nFOUR\n");
    expect(await blocks.onSourceChange("a")).toMatchObject([{ outcome: "unchanged" }, { outcome: "unchanged" }]);
    file.texts.set("a", "else\n");
    expect(await blocks.onSourceChange("a", "ask")).toMatchObject([
      { owner: "ada", outcome: "failed", error: expect.stringContaining("edited here") },
      { owner: "bob", outcome: "reconciled" },
    ]);
    file.texts.delete("a");
    expect(await blocks.onSourceChange("file:///a", "disk_wins")).toMatchObject([
      { outcome: "removed" },
      { outcome: "removed" },
    ]);
    expect(await blocks.onSourceChange("file:///a")).toEqual([]);
  });
});

describe("permission", () => {
  const OPS: Readonly<Record<string, BlockEdit>> = {
    append: append("x"),
    replace: replace("one", "ONE"),
    patch: { op: "patch", patch: "@@ -1,1 +1,1 @@\n-one\n+ONE\n" },
    edit_range: { op: "edit_range", start: 1, end: 1, content: "ONE" },
    undo: { op: "undo" },
    redo: { op: "redo" },
  };
  const PERMISSIONS: readonly MemoryPermission[] = ["read_only", "partner", "human", "append", "read_write", "admin"];
  const allowed = (permission: MemoryPermission, op: string): boolean =>
    permission !== "read_only" && (permission !== "append" || op === "append");
  const table = PERMISSIONS.flatMap((permission) =>
    Object.keys(OPS).map((op) => [permission, op, allowed(permission, op)] as const),
  );

  test.each(table)("%s: %s is possible: %s", async (permission, op, possible) => {
    const { blocks, file } = await createBlockBench({ a: "one\ntwo\n" });
    await blocks.load("a", ada);
    await blocks.edit("a", append("three\n"), ada);
    await blocks.edit("a", append("four\n"), ada);
    await blocks.edit("a", { op: "undo" }, ada);
    file.permission = permission;
    const before = await blocks.text("a", ada);
    const outcome = await blocks.edit("a", OPS[op] as BlockEdit, ada).then(
      () => "done",
      (error: unknown) => (error as { code: string }).code,
    );
    expect(outcome).toBe(possible ? "done" : "permission_denied");
    expect((await blocks.text("a", ada)) !== before).toBe(possible);
  });

  test.each([
    ["read_only", "permission_denied"],
    ["append", "permission_denied"],
    ["read_write", "done"],
  ] as const)("%s: set_field is %s", async (permission, result) => {
    const { blocks } = await createBlockBench();
    await blocks.define({ label: "m", type: "core", schema: SCHEMAS.map, permission }, ada);
    const outcome = await blocks.edit("m", { op: "set_field", field: "name", value: "x" }, ada).then(
      () => "done",
      (error: unknown) => (error as { code: string }).code,
    );
    expect(outcome).toBe(result);
  });

  test("what may only grow can be saved when it only grew", async () => {
    const { blocks, file } = await createBlockBench({ a: "one\n" });
    file.permission = "append";
    await blocks.load("a", ada);
    await blocks.edit("a", append("two\n"), ada);
    await blocks.save("a", ada);
    expect(file.texts.get("a")).toBe("one\ntwo\n");
    file.permission = "read_only";
    await expect(blocks.create("b", "x", ada)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.remove("a", ada)).rejects.toMatchObject({ code: "permission_denied" });
  });

  test("the policy layer speaks of blocks only, and asks the person that a block names", async () => {
    const { blocks } = await createBlockBench();
    await blocks.define({ label: "h", type: "core", schema: SCHEMAS.text, permission: "human" }, ada);
    const judge = (action: "read" | "update", target: string) => blocks.policyLayer.judge({ action, target }, ada);
    expect(await judge("update", "block:///h")).toMatchObject({ decision: "ask", needs: "person", person: "human" });
    expect(await judge("read", "block:///h")).toMatchObject({ decision: "allow" });
    expect(await judge("update", "block:///unknown")).toBeUndefined();
    expect(await judge("update", "file:///h")).toBeUndefined();
  });
});

describe("sharing", () => {
  test.each([
    ["read_only", "permission_denied", "permission_denied"],
    ["append", "done", "permission_denied"],
    ["read_write", "done", "done"],
  ] as const)("at %s: append %s, replace %s", async (permission, first, second) => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    await blocks.share("text", "bob", permission, ada);
    const outcomes: string[] = [];
    for (const edit of [append("three\n"), replace("one", "ONE")]) {
      outcomes.push(
        await blocks.edit("text", edit, bob).then(
          () => "done",
          (error: unknown) => (error as { code: string }).code,
        ),
      );
    }
    expect(outcomes).toEqual([first, second]);
    expect(await blocks.info("text", bob)).toMatchObject({ owner: "ada", permission });
    expect(await blocks.text("text", bob)).toBe(await blocks.text("text", ada));
  });

  test("needs admin, gives no more than one has, and ends", async () => {
    const { blocks } = await createBlockBench();
    await defineAll(blocks);
    await expect(blocks.info("text", bob)).rejects.toMatchObject({ code: "not_found" });
    await blocks.share("text", "bob", "read_write", ada);
    await expect(blocks.share("text", "eve", "read_only", bob)).rejects.toMatchObject({ code: "permission_denied" });
    await expect(blocks.share("text", "ada", "admin", ada)).rejects.toMatchObject({ code: "invalid_input" });
    await blocks.unshare("text", "bob", ada);
    await expect(blocks.unshare("text", "bob", ada)).rejects.toMatchObject({ code: "not_found" });
    await expect(blocks.text("text", bob)).rejects.toMatchObject({ code: "not_found" });
  });

  test("one's own block comes first; of two that others share the label is ambiguous", async () => {
    const { blocks } = await createBlockBench();
    const eve = actor("eve");
    for (const owner of [ada, bob]) {
      await blocks.define({ label: "b", type: "core", schema: SCHEMAS.text, initial: { content: owner.agent } }, owner);
      await blocks.share("b", "eve", "read_only", owner);
    }
    await expect(blocks.text("b", eve)).rejects.toMatchObject({
      code: "ambiguous",
      details: { owners: ["ada", "bob"] },
    });
    await blocks.define({ label: "b", type: "core", schema: SCHEMAS.text, initial: { content: "eve" } }, eve);
    expect(await blocks.text("b", eve)).toBe("eve");
    expect((await blocks.list(eve)).map(({ owner }) => owner).toSorted()).toEqual(["ada", "bob", "eve"]);
  });
});

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

describe("between processes", () => {
  test("edits of both are there, and both see the same version", async () => {
    const { blocks, other } = await createBlockBench();
    const second = other();
    await defineAll(blocks);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? blocks : second).edit("text", append(`${i};`), ada)),
    );
    const text = await blocks.text("text", ada);
    expect(Array.from({ length: 20 }, (_, i) => text.includes(`${i};`)).every(Boolean)).toBe(true);
    expect(await second.info("text", ada)).toEqual(await blocks.info("text", ada));
  });

  test("a block that never rests is given up with a conflict", async () => {
    const store = createMemoryBlockStore();
    const busy: BlockStore = {
      ...store,
      commit: async () => {
        throw new IkigaiError("conflict", "moved");
      },
    };
    const { blocks } = await createBlockBench({}, { store: busy });
    await defineAll(blocks);
    await expect(blocks.edit("text", append("x"), ada)).rejects.toMatchObject({ code: "conflict" });
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
  });

  test("an edit that could not be kept leaves no trace", async () => {
    const store = createMemoryBlockStore();
    let broken = false;
    const failing: BlockStore = {
      ...store,
      commit: (commit) => (broken ? Promise.reject(new Error("no database")) : store.commit(commit)),
    };
    const { blocks } = await createBlockBench({}, { store: failing });
    await defineAll(blocks);
    broken = true;
    await expect(blocks.edit("text", append("x"), ada)).rejects.toThrow("no database");
    broken = false;
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
    await blocks.edit("text", append("y"), ada);
    expect(await blocks.text("text", ada)).toBe("one\ntwo\ny");
  });

  test("a store that fails is told of as it is", async () => {
    const store: BlockStore = { ...createMemoryBlockStore(), create: () => Promise.reject(new Error("no database")) };
    const { blocks } = await createBlockBench({ a: "one" }, { store });
    await expect(blocks.load("a", ada)).rejects.toThrow("no database");
  });

  test("an edit of a block that is not shared any more is refused", async () => {
    const store = createMemoryBlockStore();
    const { blocks } = await createBlockBench({}, { store });
    await defineAll(blocks);
    await blocks.share("text", "bob", "read_write", ada);
    let looked = 0;
    const forgetful: BlockStore = { ...store, find: async (...args) => (looked++ === 0 ? store.find(...args) : []) };
    const { blocks: late } = await createBlockBench({}, { store: forgetful });
    await expect(late.edit("text", append("x"), bob)).rejects.toMatchObject({ code: "not_found" });
  });

  test("two that load the same file at once share one block", async () => {
    const { blocks, other } = await createBlockBench({ a: "one" });
    const [first, second] = await Promise.all([blocks.load("a", ada), other().load("a", ada)]);
    expect(first?.version).toBe(second?.version);
    expect(await blocks.list(ada)).toHaveLength(1);
  });
});

describe("storage", () => {
  test("documents are compacted on the way and come back whole", async () => {
    const { blocks, other, store } = await createBlockBench({}, { compactAfter: 4, keepOpen: 1 });
    const late = other();
    await defineAll(blocks);
    expect(await late.text("text", ada)).toBe("one\ntwo\n");
    for (let i = 0; i < 13; i++) await blocks.edit("text", append(`${i} `), ada);
    const id = (await store.find("ada", "text"))[0]?.record.id ?? "";
    const stored = await store.load(id);
    expect(stored.snapshots.map(({ revision }) => revision)).toEqual([12, 8]);
    expect(stored.updates.map(({ revision }) => revision)).toEqual([9, 10, 11, 12, 13]);
    const text = "one\ntwo\n0 1 2 3 4 5 6 7 8 9 10 11 12 ";
    expect(await late.text("text", ada)).toBe(text);
    expect(await other().text("text", ada)).toBe(text);
    expect(await blocks.history("text", ada, 3)).toMatchObject([
      { author: "ada", message: "append", at: NOW, text },
      { message: "append" },
      { message: "append" },
    ]);
    for (let i = 0; i < 13; i++) await blocks.edit("text", { op: "undo" }, ada);
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
  });

  test("a damaged snapshot is passed over and told to the operator", async () => {
    const store = createMemoryBlockStore();
    const warnings: string[] = [];
    const rotten: BlockStore = {
      ...store,
      async load(id) {
        const { snapshots, updates } = await store.load(id);
        const [newest, ...older] = snapshots;
        const bytes = (newest?.bytes ?? new Uint8Array()).slice().fill(0, 30);
        return { snapshots: [{ revision: newest?.revision ?? 0, bytes }, ...older], updates };
      },
    };
    const { blocks } = await createBlockBench({}, { store, compactAfter: 2 });
    await defineAll(blocks);
    for (const content of ["a", "b", "c"]) await blocks.edit("text", append(content), ada);
    const { blocks: reader } = await createBlockBench({}, { store: rotten, warn: (message) => warnings.push(message) });
    expect(await reader.text("text", ada)).toBe("one\ntwo\nabc");
    expect(warnings).toHaveLength(1);
    await expect(reader.text("list", ada)).rejects.toMatchObject({ code: "unavailable" });
    const { blocks: quiet } = await createBlockBench({}, { store: rotten });
    expect(await quiet.text("text", ada)).toBe("one\ntwo\nabc");
  });

  test("a snapshot that cannot be kept is told to the operator, and the edit stays", async () => {
    const store = createMemoryBlockStore();
    const warnings: string[] = [];
    const full: BlockStore = { ...store, compact: () => Promise.reject(new Error("disk full")) };
    const { blocks } = await createBlockBench(
      {},
      { store: full, compactAfter: 1, warn: (text) => warnings.push(text) },
    );
    await defineAll(blocks);
    await blocks.edit("text", append("x"), ada);
    expect(warnings).toEqual([expect.stringContaining("disk full")]);
  });

  test("a store refuses a taken label, a stale revision and an unknown block", async () => {
    const { blocks, store } = await createBlockBench();
    await defineAll(blocks);
    await expect(defineAll(blocks)).rejects.toMatchObject({ code: "conflict" });
    const id = (await store.find("ada", "text"))[0]?.record.id ?? "";
    await expect(store.commit({ id, expected: 7, set: {} })).rejects.toMatchObject({ code: "conflict" });
    await expect(store.load("nothing")).rejects.toMatchObject({ code: "not_found" });
    await store.compact(id, { revision: 0, bytes: new Uint8Array() });
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
    expect(await store.share(id, "bob", "append")).toBe(true);
    expect(await store.share(id, "bob", "append")).toBe(false);
  });
});

describe("definition", () => {
  test.each([
    ["an empty label", { label: "" }],
    ["a label with a control character", { label: "a\nb" }],
    ["a label that leaves its root", { label: "a/../b" }],
    ["a long label", { label: "x".repeat(513) }],
    ["no sections", { schema: { kind: "composite", sections: [] } }],
    [
      "a field twice",
      {
        schema: {
          kind: "map",
          fields: [
            { name: "a", type: "text" },
            { name: "a", type: "text" },
          ],
        },
      },
    ],
    ["a name with a dot", { schema: { kind: "map", fields: [{ name: "a.b", type: "text" }] } }],
    ["no items at most", { schema: { kind: "list", max_items: 0 } }],
    ["an initial value of another kind", { initial: { content: ["a"] } }],
    ["an initial value of nothing", { initial: { other: "a" } }],
    ["an initial map for a text", { initial: { content: { a: "b" } } }],
  ] as const)("with %s is refused", async (_, wrong) => {
    const { blocks } = await createBlockBench();
    const definition = { label: "l", type: "core", schema: SCHEMAS.text, ...wrong } as const;
    await expect(blocks.define(definition, ada)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("begins with what it is given", async () => {
    const { blocks } = await createBlockBench();
    const made = await blocks.define(
      { label: "l", type: "log", schema: SCHEMAS.log, initial: { content: ["born"] }, description: "A life" },
      ada,
    );
    expect(made).toMatchObject({ type: "log", schema: "log", undo: 0 });
    expect(await blocks.text("l", ada)).toBe("- born\n");
  });
});

describe("pins", () => {
  test("belong to one agent, and a guard may refuse them and edits of what is pinned", async () => {
    const { blocks } = await createBlockBench(
      {},
      {
        guard: async ({ agent, label, text }) => {
          if (text.length > 10) throw new IkigaiError("over_budget", `${agent} ${label} ${text.length}`);
        },
      },
    );
    await defineAll(blocks);
    await blocks.share("text", "bob", "read_write", ada);
    expect(await blocks.pin("text", ada)).toMatchObject({ pinned: true });
    expect(await blocks.info("text", bob)).toMatchObject({ pinned: false });
    const grow = append("three");
    await expect(blocks.edit("text", grow, ada)).rejects.toMatchObject({ message: "ada text 13" });
    expect(await blocks.text("text", ada)).toBe("one\ntwo\n");
    await blocks.edit("text", grow, bob);
    await expect(blocks.pin("text", bob)).rejects.toMatchObject({ code: "over_budget" });
    expect(await blocks.unpin("text", ada)).toMatchObject({ pinned: false });
  });
});

test("a working block is archived, comes back when loaded, and no other is", async () => {
  const { blocks } = await createBlockBench({ a: "one" });
  await blocks.load("a", ada);
  expect(await blocks.archive("a", ada)).toMatchObject({ type: "archival" });
  await expect(blocks.archive("a", ada)).rejects.toMatchObject({ code: "unsupported" });
  expect(await blocks.load("a", ada)).toMatchObject({ type: "working" });
});

test("the machine's clock and random ids are used unless others are given", async () => {
  const { sources } = await createBlockBench();
  const blocks = createBlocks({ sources, store: createMemoryBlockStore() });
  await blocks.define({ label: "l", type: "log", schema: { kind: "log" } }, ada);
  await blocks.edit("l", append("x"), ada);
  expect(await blocks.text("l", ada)).toMatch(/^- \d{4}-\d\d-\d\dT.* x\n$/);
});
