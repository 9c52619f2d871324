import type { BlockEdit } from "@ikigai/core/host";
import { describe, expect, test } from "vitest";
import type { createBlocks } from "../blocks.ts";
import { actor, createBlockBench } from "../../testing/block-bench.test.helper.ts";

const ada = actor("ada");
const bob = actor("bob");
const replace = (old: string, by: string): BlockEdit => ({ op: "replace", old, new: by });

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

  describe("when what is stale is merged", () => {
    async function stale() {
      const bench = await createBlockBench({ a: "one\ntwo\nthree\n" }, { whenStale: "merge" });
      await bench.blocks.load("a", ada);
      await bench.blocks.edit("a", replace("one", "ONE"), ada);
      bench.file.texts.set("a", "one\ntwo\nTHREE\nfour\n");
      return bench;
    }
    const BOTH = "ONE\ntwo\nTHREE\nfour\n";

    test("load keeps the edits and brings what changed in the source", async () => {
      const { blocks, file } = await stale();
      expect(await blocks.load("a", ada)).toMatchObject({ modified: true });
      expect(await blocks.text("a", ada)).toBe(BOTH);
      await blocks.save("a", ada);
      expect(file.texts.get("a")).toBe(BOTH);
    });

    test("save writes both, also in a process that has just begun", async () => {
      const { file, other } = await stale();
      expect(await other().save("a", ada)).toMatchObject({ modified: false });
      expect(file.texts.get("a")).toBe(BOTH);
      expect(await other().text("a", ada)).toBe(BOTH);
    });

    test("save merges again when somebody writes meanwhile, and gives up in the end", async () => {
      const { blocks, file } = await stale();
      let writes = 0;
      file.interfere = (path) => {
        if (writes++ < 3) file.texts.set(path, `${file.texts.get(path) ?? ""}${writes}\n`);
      };
      await blocks.save("a", ada);
      expect(file.texts.get("a")).toBe(`${BOTH}1\n2\n3\n`);
      await blocks.edit("a", replace("two", "TWO"), ada);
      file.interfere = (path) => file.texts.set(path, `${file.texts.get(path) ?? ""}${writes++}\n`);
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "conflict" });
      expect(file.texts.get("a")).not.toContain("TWO");
      expect(await blocks.text("a", ada)).toContain("TWO");
    });

    test("what was removed is not made again by a save", async () => {
      const { blocks, file } = await stale();
      file.texts.delete("a");
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "conflict" });
      expect(file.texts.has("a")).toBe(false);
      expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nthree\n");
    });

    test("what may not be changed is neither saved nor merged by a save", async () => {
      const { blocks, file } = await stale();
      file.permission = "read_only";
      await expect(blocks.save("a", ada)).rejects.toMatchObject({ code: "permission_denied" });
      expect(await blocks.text("a", ada)).toBe("ONE\ntwo\nthree\n");
    });
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
