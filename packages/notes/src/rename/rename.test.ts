import { describe, expect, test } from "vitest";
import { createMemoryBlock, type MemoryBlock, memorySource } from "../testing/memory-block.ts";
import { openNotebook } from "../testing/notebook.ts";
import { createMemoryIntentStore, createSourceIntentStore, type IntentStore } from "./intent-store.ts";
import { recoverRenames } from "./recover-renames.ts";

function texts(block: MemoryBlock): Record<string, string> {
  return Object.fromEntries([...block.files].map(([path, { text }]) => [path, text]));
}

async function rename(notes: Record<string, string>, from: string, to: string): Promise<Record<string, string>> {
  const { block, repository } = await openNotebook(notes);
  await repository.renameNote({ uri: `file:///${from}` }, { uri: `file:///${to}` });
  return texts(block);
}

describe("links are rewritten in their own manner", () => {
  test.each([
    ["a name, its heading, block and alias", "[[Old]] [[old#H|x]] ![[Old#^b]]", "[[New]] [[New#H|x]] ![[New#^b]]"],
    ["a path and an extension", "[[dir/Old]] [[Old.md]] [[/dir/Old]]", "[[dir/New]] [[New.md]] [[/dir/New]]"],
    ["a path from here", "[[./dir/Old]]", "[[./dir/New]]"],
    [
      "a Markdown link",
      "[a](dir/Old.md#H) [b](Old.md) ![c](<dir/Old.md>)",
      "[a](dir/New.md#H) [b](New.md) ![c](<dir/New.md>)",
    ],
    ["a property", '---\nup: "[[Old]]" # c\n---\n', '---\nup: "[[New]]" # c\n---\n'],
    ["in a table", "|a|\n|-|\n|[[Old\\|x]]|", "|a|\n|-|\n|[[New\\|x]]|"],
    ["not in code, not another note, not an alias", "`[[Old]]` [[Older]] [[Nick]]", "`[[Old]]` [[Older]] [[Nick]]"],
  ])("%s", async (_, before, after) => {
    const notes = {
      "dir/Old.md": "---\naliases: [Nick]\n---\n# H\nself [[Old]] [[#H]]",
      "Older.md": "",
      "L.md": before,
    };
    const result = await rename(notes, "dir/Old.md", "dir/New.md");
    expect(result).toEqual({
      "dir/New.md": "---\naliases: [Nick]\n---\n# H\nself [[New]] [[#H]]",
      "Older.md": "",
      "L.md": after,
    });
  });
});

test("a name with quotes stays readable in a property", async () => {
  const result = await rename(
    { "Old.md": "", "L.md": "---\na: '[[Old]]'\nb: \"[[Old|x]]\"\n---\n" },
    "Old.md",
    "It's.md",
  );
  expect(result["L.md"]).toBe("---\na: '[[It''s]]'\nb: \"[[It's|x]]\"\n---\n");
});

test("a name that is taken elsewhere is written with its folder", async () => {
  const result = await rename({ "Old.md": "", "a/New.md": "", "L.md": "[[Old]]" }, "Old.md", "long/folder/New.md");
  expect(result["L.md"]).toBe("[[long/folder/New]]");
});

test("links that the new name would catch keep leading where they did", async () => {
  const result = await rename({ "Old.md": "", "a/New.md": "", "L.md": "[[New]] [[Old]]" }, "Old.md", "New.md");
  expect(result["L.md"]).toBe("[[a/New]] [[New]]");
});

test("a moved note keeps its own links", async () => {
  const result = await rename(
    { "a/Old.md": "[[./Side]] [s](../a/Side.md) [[Side]]", "a/Side.md": "" },
    "a/Old.md",
    "b/c/Old.md",
  );
  expect(result["b/c/Old.md"]).toBe("[[../../a/Side]] [s](../../a/Side.md) [[Side]]");
});

test("a link from another source is rewritten to lead there still", async () => {
  const memo = createMemoryBlock({ "M.md": "[[Old]] [[file:///Old.md]]" });
  const { repository } = await openNotebook({ "Old.md": "" }, { mounts: { memo } });
  const { rewritten } = await repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" });
  expect(rewritten).toEqual(["memo:///M.md"]);
  expect(texts(memo)["M.md"]).toBe("[[New]] [[file:///New.md]]");
});

test("a note edited while the rename runs keeps its edit and gets its links", async () => {
  const { block, repository } = await openNotebook({ "Old.md": "o", "L.md": "[[Old]]", "Z.md": "[[Old]]" });
  let once = true;
  block.beforeWrite = (path) => {
    if (path !== "L.md" || !once) return;
    once = false;
    block.put("L.md", "edited [[Old]]");
    block.put("Old.md", "o edited");
  };
  await repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" });
  expect(texts(block)).toEqual({ "New.md": "o edited", "L.md": "edited [[New]]", "Z.md": "[[New]]" });
});

test("a target that exists, and a note that is gone, change nothing", async () => {
  const { block, repository, index } = await openNotebook({ "Old.md": "o", "New.md": "n", "L.md": "[[Old]]" });
  const before = texts(block);
  await expect(repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" })).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(repository.renameNote({ uri: "file:///None.md" }, { uri: "file:///X.md" })).rejects.toMatchObject({
    code: "not_found",
  });
  expect(texts(block)).toEqual(before);
  block.files.delete("L.md");
  await expect(repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///X.md" })).rejects.toMatchObject({
    code: "conflict",
  });
  await index.refresh();
  expect(index.graph.size).toBe(2);
});

const LINKERS = 500;
const FEW = 12;

function manyNotes(count = LINKERS): Record<string, string> {
  const notes: Record<string, string> = { "Old.md": "self [[Old]]" };
  for (let at = 0; at < count; at += 1) notes[`n${at}.md`] = `see [[Old]] and [[Old#H|x]] in ${at}`;
  return notes;
}

function countNew(block: MemoryBlock): { readonly rewritten: number; readonly kept: number; readonly names: string } {
  const linkers = [...block.files].filter(([path]) => path.startsWith("n"));
  return {
    rewritten: linkers.filter(([, { text }]) => text.includes("[[New]]") && !text.includes("[[Old")).length,
    kept: linkers.filter(([, { text }]) => text.includes("[[Old]]") && !text.includes("[[New")).length,
    names: [...block.files.keys()].filter((path) => path === "Old.md" || path === "New.md").join(),
  };
}

const ALL = { rewritten: LINKERS, kept: 0, names: "New.md" };
const NONE = { rewritten: 0, kept: LINKERS, names: "Old.md" };

test("500 notes are rewritten", async () => {
  const { block, repository } = await openNotebook(manyNotes());
  const { rewritten } = await repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" });
  expect(rewritten).toHaveLength(LINKERS);
  expect(countNew(block)).toEqual(ALL);
});

const WRITES = LINKERS + 2;
const POINTS = [1, 2, 3, 57, 250, LINKERS, LINKERS + 1, WRITES];

/** Runs a rename that dies at a write, then starts again on what is left. */
async function dieAndRecover(count: number, point: number, moment: "before" | "after"): Promise<MemoryBlock> {
  const block = createMemoryBlock(manyNotes(count));
  const intents = createMemoryIntentStore();
  const first = await openNotebook(block, { intents });
  let writes = 0;
  let dead = false;
  const die = (): void => {
    dead = true;
    throw new Error("killed");
  };
  block.beforeRead = () => (dead ? die() : undefined);
  block.beforeWrite = () => {
    writes += 1;
    if (dead || (moment === "before" && writes === point)) die();
  };
  block.afterWrite = () => (moment === "after" && writes === point ? die() : undefined);
  await expect(first.repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" })).rejects.toThrow(
    "killed",
  );

  block.beforeRead = () => undefined;
  block.beforeWrite = () => undefined;
  block.afterWrite = () => undefined;
  const second = await openNotebook(block, { intents });
  expect(await recoverRenames({ sources: second.sources, intents })).toEqual([
    { from: "file:///Old.md", to: "file:///New.md", outcome: "finished" },
  ]);
  expect(await intents.list()).toEqual([]);
  expect(texts(block)["New.md"]).toBe("self [[New]]");
  return block;
}

describe.each(["before", "after"] as const)("killed right %s a write", (moment) => {
  test.each(POINTS)("at write %i of 502, all notes are rewritten after the restart", async (point) => {
    expect(countNew(await dieAndRecover(LINKERS, point, moment))).toEqual(ALL);
  });

  test("at every write of a smaller rename, all notes are rewritten after the restart", async () => {
    for (let point = 1; point <= FEW + 2; point += 1) {
      expect(countNew(await dieAndRecover(FEW, point, moment))).toEqual({ ...ALL, rewritten: FEW });
    }
  });
});

test.each(POINTS)("a write that fails at %i is undone with all others", async (point) => {
  const intents = createMemoryIntentStore();
  const { block, repository, index } = await openNotebook(manyNotes(), { intents });
  let writes = 0;
  block.beforeWrite = () => {
    writes += 1;
    if (writes === point) throw new Error("disk full");
  };
  await expect(repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" })).rejects.toThrow(
    "disk full",
  );
  expect(countNew(block)).toEqual(NONE);
  expect(await intents.list()).toEqual([]);
  expect(index.graph.backlinks("file:///Old.md")).toHaveLength(LINKERS * 2);
});

test("a rename that can no longer be finished is undone at the restart, or stays when that fails too", async () => {
  const intents = createMemoryIntentStore();
  const { block, repository, sources } = await openNotebook(
    { "Old.md": "o", "A.md": "[[Old]]", "B.md": "[[Old]]" },
    { intents },
  );
  block.beforeWrite = (path) => {
    if (path !== "New.md" && path !== "A.md") throw new Error("killed");
    if (path === "A.md" && texts(block)["A.md"] === "[[New]]") throw new Error("killed");
  };
  await expect(repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" })).rejects.toThrow("killed");
  expect(texts(block)).toEqual({ "Old.md": "o", "A.md": "[[New]]", "B.md": "[[Old]]", "New.md": "o" });
  expect(await recoverRenames({ sources, intents })).toMatchObject([{ outcome: "stuck", reason: "killed" }]);
  block.beforeWrite = (path) => {
    if (path === "B.md") throw new Error("read only");
  };
  expect(await recoverRenames({ sources, intents })).toMatchObject([{ outcome: "undone", reason: "read only" }]);
  expect(texts(block)).toEqual({ "Old.md": "o", "A.md": "[[Old]]", "B.md": "[[Old]]" });
});

test("intents can be kept in a source and survive in it", async () => {
  const block = createMemoryBlock({ "intents/readme.txt": "not an intent" });
  const store: IntentStore = createSourceIntentStore(block, "intents/");
  const intent = {
    id: "1",
    kind: "rename_note" as const,
    at: "2024",
    from: { uri: "a", version: "1", text: "" },
    to: { uri: "b", text: "", links: [] },
    files: [],
  };
  await store.save(intent);
  expect(await createSourceIntentStore(block, "intents/").list()).toEqual([intent]);
  await store.remove("1");
  await store.remove("1");
  expect(await store.list()).toEqual([]);
  block.put("intents/broken.json", "{");
  await expect(store.list()).rejects.toMatchObject({ code: "internal" });
  block.beforeWrite = () => {
    throw new Error("no");
  };
  await expect(store.remove("2")).rejects.toThrow("no");
});

test("a rename rewrites the links that can be changed and names the notes that keep the old one", async () => {
  const { repository, sources, block, index } = await openNotebook({ "Old.md": "", "L.md": "[[Old]]" });
  const commit = createMemoryBlock({ "Past.md": "[[Old]]" });
  await sources.mount({ mount: "commit", source: memorySource(commit), permission: "read_only" });
  await index.refresh();
  const renamed = await repository.renameNote({ uri: "file:///Old.md" }, { uri: "file:///New.md" });
  expect(renamed).toMatchObject({ rewritten: ["file:///L.md"], unwritable: ["commit:///Past.md"] });
  expect(texts(block)).toEqual({ "New.md": "", "L.md": "[[New]]" });
  expect(texts(commit)).toEqual({ "Past.md": "[[Old]]" });
});
