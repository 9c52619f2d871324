import { IkigaiError } from "@ikigai/core";
import { describe, expect, test } from "vitest";
import { createMemoryBlock } from "../testing/memory-block.ts";
import { openNotebook } from "../testing/notebook.ts";
import type { EmbedProgress } from "../search/note-vectors.ts";
import type { Embedder, VectorStore } from "@ikigai/core/host";

type StoredVector = Awaited<ReturnType<VectorStore["load"]>>[number];

const NOTES = {
  "Garden.md":
    "---\ntags: [plants, home/outside]\nstatus: active\nrating: 4\ndue: 2024-05-01\n---\n# The Garden\n\nTomatoes and basil need water. [[Tools]] [[gone]]\n",
  "Tools.md":
    "---\ntags: [home]\nstatus: done\nrating: 2\n---\nA spade, a rake and a watering can for tomatoes. #plants\n",
  "kitchen/Recipes.md":
    "---\nstatus: active\nserves: [2, 4]\nmeta: {author: Ann}\n---\nTomatoes with basil. [[Garden]] [[Garden#The Garden]]\n",
  "kitchen/Empty.md": "",
  "Elsewhere.md": "Nothing of the kind, really nothing at all.",
};

function names(results: readonly { readonly name: string }[]): string[] {
  return results.map(({ name }) => name);
}

test("a note is read by name, and an unknown one is absent", async () => {
  const { repository, block } = await openNotebook(NOTES);
  const note = await repository.getNoteByName("[[garden]]");
  expect(note).toMatchObject({
    title: "The Garden",
    tags: ["plants", "home/outside"],
    version: block.files.get("Garden.md")?.version,
  });
  expect(note?.location.uri).toBe("file:///Garden.md");
  expect(await repository.getNoteByName("none")).toBeUndefined();
  block.put("Garden.md", "#changed");
  await repository.getNoteByName("Garden");
  expect(names(await repository.searchByTags(["changed"]))).toEqual(["Garden"]);
  await expect(repository.readNote("none")).rejects.toMatchObject({ code: "not_found" });
  block.files.delete("Garden.md");
  expect(await repository.getNoteByName("Garden")).toBeUndefined();
  block.put("Tools.md", "x");
  block.beforeRead = () => {
    throw new Error("broken");
  };
  await expect(repository.getNoteByName("Tools")).rejects.toThrow("broken");
});

test("notes are listed by address, below a folder if one is given", async () => {
  const { repository } = await openNotebook(NOTES, { mounts: { memo: createMemoryBlock({ "M.md": "" }) } });
  expect(names(await repository.listNotes())).toEqual(["Elsewhere", "Garden", "Tools", "Empty", "Recipes", "M"]);
  expect(names(await repository.listNotes("kitchen"))).toEqual(["Empty", "Recipes"]);
  expect(names(await repository.listNotes("memo:///"))).toEqual(["M"]);
});

describe("writing", () => {
  test("a new note lies where it was asked for, and is found at once", async () => {
    const { repository, block } = await openNotebook(NOTES);
    const location = await repository.locate("New Idea", "kitchen/../lab");
    expect(location).toEqual({ uri: "file:///lab/New Idea.md" });
    await repository.createNote(location, "[[Garden]]");
    expect(block.files.get("lab/New Idea.md")?.text).toBe("[[Garden]]");
    expect((await repository.getMetadata({ uri: "file:///Garden.md" })).backlinks.map(({ name }) => name)).toContain(
      "New Idea",
    );
    await expect(repository.locate("new idea", "lab")).rejects.toMatchObject({ code: "conflict" });
    await expect(repository.createNote(location, "again")).rejects.toMatchObject({
      code: "conflict",
      details: { error_type: "already_exists" },
    });
    expect(await repository.locate("a/b/Deep.md")).toEqual({ uri: "file:///a/b/Deep.md" });
  });

  test("the home of new notes can be given", async () => {
    const memo = createMemoryBlock();
    const { repository } = await openNotebook(NOTES, { mounts: { memo }, home: "memo:///inbox" });
    expect(await repository.locate("X")).toEqual({ uri: "memo:///inbox/X.md" });
    expect(await repository.locate("X", "sub")).toEqual({ uri: "memo:///inbox/sub/X.md" });
    expect(await repository.locate("X", "file:///y")).toEqual({ uri: "file:///y/X.md" });
  });

  test.each([
    "",
    " ",
    ".hidden",
    "a#b",
    "a|b",
    "[[a]]",
    "a^b",
    "a:b",
    "a\0",
    "dot.",
    "x".repeat(300),
    "../up",
    "a/..",
    "\ud800",
  ])("%j cannot be a name", async (name) => {
    const { repository } = await openNotebook(NOTES);
    await expect(repository.locate(name)).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_input|permission_denied/),
    });
  });

  test("an edit that meets another one is made on the newer text", async () => {
    const { repository, block } = await openNotebook({ "A.md": "one" });
    let once = true;
    block.beforeWrite = () => {
      if (once) block.put("A.md", "two");
      once = false;
    };
    const result = await repository.updateNote({ uri: "file:///A.md" }, (text) => `${text}!`);
    expect(result.changed).toBe(true);
    expect(block.files.get("A.md")?.text).toBe("two!");
  });

  test("an edit that always meets another one gives up with a conflict", async () => {
    const { repository, block } = await openNotebook({ "A.md": "0" });
    block.beforeWrite = () => block.put("A.md", `${Math.random()}`);
    await expect(repository.updateNote({ uri: "file:///A.md" }, (text) => `${text}!`)).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("a whole text is written only over the version that was expected", async () => {
    const { repository, block } = await openNotebook({ "A.md": "one" });
    const { version } = await repository.readNote("A");
    block.put("A.md", "two");
    await expect(repository.updateNote({ uri: "file:///A.md" }, "three", { expected: version })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(block.files.get("A.md")?.text).toBe("two");
    expect(await repository.updateNote({ uri: "file:///A.md" }, "two")).toMatchObject({ changed: false });
    await expect(repository.updateNote({ uri: "file:///B.md" }, "x")).rejects.toMatchObject({ code: "not_found" });
  });

  test("parallel additions are all in the note", async () => {
    const { repository, block } = await openNotebook({ "A.md": "" });
    block.beforeWrite = () => new Promise((resolve) => setImmediate(resolve));
    const edits = Array.from({ length: 8 }, (_, at) =>
      repository.updateNote({ uri: "file:///A.md" }, (text) => `${text}${at}\n`),
    );
    await Promise.all(edits);
    expect(block.files.get("A.md")?.text.trim().split("\n").toSorted()).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
    ]);
  });

  test("a deleted note leaves the index; its backlinks lead nowhere", async () => {
    const { repository } = await openNotebook(NOTES);
    await repository.deleteNote({ uri: "file:///Garden.md" });
    expect((await repository.getMetadata({ uri: "file:///kitchen/Recipes.md" })).unresolvedLinks).toEqual([
      "Garden",
      "Garden#The Garden",
    ]);
    await expect(repository.deleteNote({ uri: "file:///Garden.md" })).rejects.toMatchObject({ code: "not_found" });
  });

  test("a failure of the source is handed on", async () => {
    const { repository, block } = await openNotebook(NOTES);
    block.beforeWrite = () => {
      throw new Error("disk full");
    };
    await expect(repository.createNote({ uri: "file:///N.md" }, "x")).rejects.toThrow("disk full");
    await expect(repository.addTag({ uri: "file:///Tools.md" }, "x")).rejects.toThrow("disk full");
  });

  test("a source that cannot be written says so", async () => {
    const { repository, block } = await openNotebook(NOTES);
    Object.assign(block, { write: undefined, remove: undefined });
    await expect(repository.addTag({ uri: "file:///Tools.md" }, "x")).rejects.toMatchObject({ code: "unsupported" });
    await expect(repository.deleteNote({ uri: "file:///Tools.md" })).rejects.toMatchObject({ code: "unsupported" });
    await expect(repository.createNote({ uri: "file:///N.md" }, "x")).rejects.toMatchObject({ code: "unsupported" });
  });

  test("tags are added and removed", async () => {
    const { repository, block } = await openNotebook(NOTES);
    await repository.addTag({ uri: "file:///Tools.md" }, "#shed");
    expect(block.files.get("Tools.md")?.text).toContain("tags: [home, shed]");
    await repository.removeTag({ uri: "file:///Tools.md" }, "plants");
    expect((await repository.getMetadata({ uri: "file:///Tools.md" })).tags).toEqual(["home", "shed"]);
  });
});

test("metadata names tags, properties, links both ways and times", async () => {
  const { repository } = await openNotebook(NOTES);
  const known = await repository.getMetadata({ uri: "file:///Garden.md" });
  expect(known).toMatchObject({
    name: "Garden",
    title: "The Garden",
    backlinks: [{ name: "Recipes", uri: "file:///kitchen/Recipes.md", count: 2 }],
    forwardLinks: [{ name: "Tools", uri: "file:///Tools.md", count: 1 }],
    unresolvedLinks: ["gone"],
    headings: [{ level: 1, text: "The Garden" }],
  });
  expect({ ...known.properties }).toMatchObject({ status: "active", rating: 4 });
  expect(known.createdAt).toBeInstanceOf(Date);
  expect(known.modifiedAt).toBeInstanceOf(Date);
  await expect(repository.getMetadata({ uri: "file:///none.md" })).rejects.toMatchObject({ code: "not_found" });
});

describe("searching", () => {
  test("by words finds the best note first and shows its line", async () => {
    const { repository, block } = await openNotebook(NOTES);
    const results = await repository.searchText("watering tomatoes");
    expect(results[0]).toMatchObject({ name: "Tools", snippet: expect.stringContaining("watering can") });
    expect(names(await repository.searchText("garden"))[0]).toBe("Garden");
    expect(await repository.searchText("zebra")).toEqual([]);
    block.put("Elsewhere.md", "zebra");
    await (await openNotebook(block)).repository.searchText("zebra");
    expect(names(await repository.searchText("basil", 1))).toHaveLength(1);
  });

  test("by words follows changes", async () => {
    const { repository, block, index } = await openNotebook(NOTES);
    await repository.searchText("x");
    block.put("Elsewhere.md", `zebra ${"long ".repeat(100)}`);
    await index.noteChanged("file:///Elsewhere.md");
    block.files.delete("Tools.md");
    await index.noteChanged("file:///Tools.md");
    expect(names(await repository.searchText("zebra"))).toEqual(["Elsewhere"]);
    expect((await repository.searchText("zebra"))[0]?.snippet).toMatch(/…$/);
    expect(await repository.searchText("spade")).toEqual([]);
  });

  test("by tags finds those below", async () => {
    const { repository } = await openNotebook(NOTES);
    expect(names(await repository.searchByTags(["home"]))).toEqual(["Garden", "Tools"]);
    expect(names(await repository.searchByTags(["#home/outside", "PLANTS"]))).toEqual(["Garden"]);
    expect(names(await repository.searchByTags(["home/outside", "none"], "any"))).toEqual(["Garden"]);
    await expect(repository.searchByTags(["a b"])).rejects.toMatchObject({ code: "invalid_input" });
  });

  test.each([
    [{ status: "active" }, ["Garden", "Recipes"]],
    [{ status: { ne: "active" }, rating: { exists: true } }, ["Tools"]],
    [{ rating: { gt: 2, lte: 4 } }, ["Garden"]],
    [{ rating: { gte: 2, lt: 4 } }, ["Tools"]],
    [{ due: { lt: "2024-06-01" } }, ["Garden"]],
    [{ serves: 4 }, ["Recipes"]],
    [{ serves: [2, 4] }, ["Recipes"]],
    [{ serves: [2, 5] }, []],
    [{ serves: { contains: 2 } }, ["Recipes"]],
    [{ status: { contains: "ACT" } }, ["Garden", "Recipes"]],
    [{ status: { in: ["done", "late"] } }, ["Tools"]],
    [{ status: { eq: "done" } }, ["Tools"]],
    [{ "meta.author": "Ann" }, ["Recipes"]],
    [{ "meta.none.x": "Ann" }, []],
    [{ STATUS: "done" }, ["Tools"]],
    [{ due: { exists: false }, rating: { exists: true } }, ["Tools"]],
    [{ due: null, rating: 2 }, ["Tools"]],
    [{ rating: { gt: "1" } }, []],
    [{ __proto__x: 1 }, []],
  ])("by properties %j", async (filter, expected) => {
    const { repository } = await openNotebook(NOTES);
    expect(names(await repository.searchByProperties(filter))).toEqual(expected);
  });

  test("tags are counted with their parents, whatever their case", async () => {
    const { repository } = await openNotebook({ "a.md": "#x/y #X #x/Y", "b.md": "#x/y/z", "c.md": "#Q #q/r" });
    expect(await repository.listAllTags()).toEqual([
      { tag: "Q", count: 1 },
      { tag: "q/r", count: 1, parent: "Q" },
      { tag: "X", count: 2 },
      { tag: "x/y", count: 2, parent: "X" },
      { tag: "x/y/z", count: 1, parent: "x/y" },
    ]);
  });
});

const letters: Embedder = {
  id: "letters",
  dimensions: 26,
  embed: async (texts) =>
    texts.map((text) =>
      Float32Array.from({ length: 26 }, (_, at) => text.toLowerCase().split(String.fromCharCode(97 + at)).length - 1),
    ),
};

describe("by meaning", () => {
  test("notes near a text or a vector are found where there is an embedder", async () => {
    const { repository, block, index } = await openNotebook({ "a.md": "aaaa", "z.md": "zzzz" }, { embedder: letters });
    expect(names(await repository.searchVectors("aa", 1))).toEqual(["a"]);
    const vector = Array.from({ length: 26 }, (_, at) => (at === 25 ? 1 : 0));
    expect(names(await repository.searchVectors(vector, 1))).toEqual(["z"]);
    block.files.delete("z.md");
    await index.noteChanged("file:///z.md");
    expect(names(await repository.searchVectors(vector, 1, { signal: new AbortController().signal }))).toEqual(["a"]);
  });

  test("a vector of another length, and a missing embedder, are refused", async () => {
    const { repository } = await openNotebook(NOTES, { embedder: letters });
    await expect(repository.searchVectors([1, 2])).rejects.toMatchObject({ code: "invalid_input" });
    const plain = await openNotebook(NOTES);
    await expect(plain.repository.searchVectors("x")).rejects.toMatchObject({ code: "unsupported" });
  });
});

test("related notes come with every reason and its score", async () => {
  const { repository } = await openNotebook(NOTES, { embedder: letters });
  const related = await repository.findRelated({ uri: "file:///Garden.md" });
  const reasons = Object.fromEntries(
    related.map(({ name, relations }) => [name, relations.map(({ reason }) => reason)]),
  );
  expect(reasons["Tools"]).toEqual(
    expect.arrayContaining(["forwardlink_to", "shared_tag", "similar_text", "similar_meaning"]),
  );
  expect(reasons["Recipes"]).toEqual(expect.arrayContaining(["backlink_from", "similar_text", "similar_meaning"]));
  for (const { score, relations } of related) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThanOrEqual(1);
    for (const relation of relations) expect(relation.score).toBeLessThanOrEqual(1);
  }
  expect(related.map(({ score }) => score)).toEqual(
    related.map(({ score }) => score).toSorted((one, other) => other - one),
  );
  const tagged = await openNotebook({ "a.md": "#t", "b.md": "#T", "c.md": "#t #u", "d.md": "#u" });
  expect(await tagged.repository.findRelated({ uri: "file:///a.md" })).toMatchObject([
    { name: "b", relations: [{ reason: "shared_tag", tag: "t", score: 0.5 }, { reason: "similar_text" }] },
    { name: "c", relations: [{ reason: "shared_tag", tag: "t", score: 0.5 }, { reason: "similar_text" }] },
  ]);
  const plain = await openNotebook({ "a.md": "", "b.md": "" });
  expect(await plain.repository.findRelated({ uri: "file:///a.md" }, 5)).toEqual([]);
});

describe("vectors in a store", () => {
  function memoryVectors(): VectorStore & { readonly kept: Map<string, StoredVector> } {
    const kept = new Map<string, StoredVector>();
    return {
      kept,
      load: async () => [...kept.values()],
      async save(_, vectors) {
        for (const one of vectors) kept.set(one.uri, one);
      },
      async remove(uris) {
        for (const uri of uris) kept.delete(uri);
      },
    };
  }

  test("are used again by version; what is gone leaves; progress is told", async () => {
    const asked: string[] = [];
    const counting = { ...letters, embed: (texts: readonly string[]) => (asked.push(...texts), letters.embed(texts)) };
    const vectors = memoryVectors();
    const progress: number[][] = [];
    const onEmbedProgress = ({ done, total }: EmbedProgress): void => void progress.push([done, total]);
    const block = createMemoryBlock({ "a.md": "aaaa", "z.md": "zzzz" });
    const first = await openNotebook(block, { embedder: counting, vectors, onEmbedProgress });
    await Promise.all([first.repository.embedNotes(), first.repository.embedNotes()]);
    expect(asked).toHaveLength(2);
    expect(progress).toEqual([
      [0, 2],
      [2, 2],
    ]);
    block.files.delete("z.md");
    await block.write("b.md", "bbbb");
    await (await openNotebook(block, { embedder: counting, vectors })).repository.embedNotes();
    expect(asked).toEqual([...asked.slice(0, 2), "b\nbbbb"]);
    expect([...vectors.kept.keys()]).toEqual(["file:///a.md", "file:///b.md"]);
    for (const [uri, one] of vectors.kept) vectors.kept.set(uri, { ...one, vector: new Float32Array(2) });
    await (await openNotebook(block, { embedder: counting, vectors })).repository.embedNotes();
    expect(asked).toHaveLength(5);
    await (await openNotebook(block)).repository.embedNotes();
  });

  test("are asked for by no more notes at once than was said", async () => {
    const sizes: number[] = [];
    const counting = {
      ...letters,
      embed: (texts: readonly string[]) => (sizes.push(texts.length), letters.embed(texts)),
    };
    const notes = { "a.md": "a", "b.md": "b", "c.md": "c", "d.md": "d", "e.md": "e" };
    await (await openNotebook(notes, { embedder: counting, embedAtOnce: 2 })).repository.embedNotes();
    expect(sizes).toEqual([2, 2, 1]);
  });

  test("of the wrong number or size are refused, and nothing is kept", async () => {
    for (const sizes of [[], [[1, 2]], [Array.from({ length: letters.dimensions }, () => Number.NaN)]]) {
      const made = sizes.map((numbers) => Float32Array.from(numbers));
      const vectors = memoryVectors();
      const embedder = { ...letters, embed: async () => made };
      const { repository } = await openNotebook({ "a.md": "aaaa" }, { embedder, vectors });
      await expect(repository.searchVectors("a")).rejects.toMatchObject({ code: "unavailable" });
      expect(vectors.kept.size).toBe(0);
    }
  });

  test("that cannot be had leave the other relations, where somebody is told", async () => {
    const embedder = {
      ...letters,
      embed: () => Promise.reject(new IkigaiError("unavailable", "gone", { hint: "Wait." })),
    };
    const notes = { "a.md": "[[z]]", "z.md": "zzzz" };
    const said: string[] = [];
    const told = await openNotebook(notes, { embedder, warn: (message) => said.push(message) });
    const location = { uri: "file:///a.md" };
    expect(names(await told.repository.findRelated(location))).toEqual(["z"]);
    expect(said).toEqual([expect.stringContaining("gone")]);
    const untold = await openNotebook(notes, { embedder });
    await expect(untold.repository.findRelated(location)).rejects.toMatchObject({ code: "unavailable" });
    await expect(told.repository.embedNotes({ signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  });
});
