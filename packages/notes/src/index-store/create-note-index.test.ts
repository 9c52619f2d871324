import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSourceManager } from "@ikigai/core/host";
import { expect, test, vi } from "vitest";
import { directorySource } from "../testing/directory-block.ts";
import { createMemoryBlock, memorySource } from "../testing/memory-block.ts";
import { openNotebook } from "../testing/notebook.ts";
import { createNoteIndex } from "./create-note-index.ts";
import type { IndexProgress } from "./note-index.ts";
import { createMemoryNoteIndexStore } from "./note-index-store.ts";

const NOTES = {
  "A.md": "[[B]] [[sub/C|c]] [x](sub/C.md) [y](https://x.y/B.md) ![[pic.png]] #t",
  "B.md": "---\naliases: [Bee]\n---\n# Title B\n[[A]] [[A]] [[#here]]",
  "sub/C.md": "[[Bee]] [[nowhere]] [q](D%20E.md) [r](%zz.md)",
  "sub/D E.md": "",
  "pic.png": "",
  ".obsidian/x.md": "[[A]]",
};

test("a cold index reads every note once and knows its links in both directions", async () => {
  const { block, index } = await openNotebook(NOTES);
  expect(block.reads.toSorted()).toEqual(["A.md", "B.md", "sub/C.md", "sub/D E.md"]);
  const from = (uri: string): string[] => index.graph.backlinks(`file:///${uri}`).map((link) => link.from);
  expect(from("A.md")).toEqual(["file:///B.md", "file:///B.md"]);
  expect(from("B.md")).toEqual(["file:///A.md", "file:///sub/C.md"]);
  expect(from("sub/C.md")).toEqual(["file:///A.md", "file:///A.md"]);
  expect(from("sub/D E.md")).toEqual(["file:///sub/C.md"]);
  expect(from("pic.png")).toEqual(["file:///A.md"]);
  expect(index.graph.forwardLinks("file:///A.md").map(({ to }) => to)).toEqual([
    "file:///B.md",
    "file:///sub/C.md",
    "file:///sub/C.md",
    "file:///pic.png",
  ]);
  expect(index.graph.forwardLinks("file:///none.md")).toEqual([]);
});

test("a warm start reads only what changed, and forgets what is gone", async () => {
  const block = createMemoryBlock(NOTES);
  const store = createMemoryNoteIndexStore();
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource(block) });
  expect(await createNoteIndex({ sources, store }).refresh()).toMatchObject({ notes: 4, read: 4, unchanged: 0 });
  block.reads.length = 0;
  expect(await createNoteIndex({ sources, store }).refresh()).toMatchObject({ notes: 4, read: 0, unchanged: 4 });
  block.put("B.md", "now [[C]]");
  block.put("A.md", (block.files.get("A.md") as { text: string }).text);
  block.files.delete("sub/D E.md");
  const index = createNoteIndex({ sources, store });
  expect(await index.refresh()).toMatchObject({ notes: 3, read: 2, unchanged: 1, removed: 1, failed: [] });
  // A note that a list leaves out is read once, since a list can miss a note that is being saved.
  expect(block.reads.toSorted()).toEqual(["A.md", "B.md", "sub/D E.md"]);
  expect(index.graph.backlinks("file:///sub/C.md").map(({ from }) => from)).toContain("file:///B.md");
  expect((await store.load("file")).length).toBe(3);
});

test("one changed note is read alone, and a removed one leaves", async () => {
  const { block, index } = await openNotebook(NOTES);
  block.reads.length = 0;
  block.put("B.md", "[[D E]]");
  await index.noteChanged("file:///B.md");
  expect(block.reads).toEqual(["B.md"]);
  expect(index.graph.backlinks("file:///A.md")).toEqual([]);
  block.files.delete("A.md");
  await index.noteChanged("file:///A.md");
  expect(index.graph.get("file:///A.md")).toBeUndefined();
  block.put("new.png", "");
  await index.noteChanged("file:///new.png");
  expect(index.graph.hasFile("file", "new.png")).toBe(true);
  await index.noteChanged("file:///.obsidian/x.md");
  expect(index.graph.get("file:///.obsidian/x.md")).toBeUndefined();
});

test("a note that cannot be read is named, and the others are indexed", async () => {
  const block = createMemoryBlock({ ...NOTES, "bad.md": "x", "gone.md": "y" });
  block.beforeRead = (path) => {
    if (path === "bad.md") throw new Error("no luck");
    if (path === "gone.md") block.files.delete(path);
  };
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource(block) });
  const index = createNoteIndex({ sources });
  const report = await index.refresh();
  expect(report.failed).toEqual([{ uri: "file:///bad.md", reason: "no luck" }]);
  expect(index.graph.size).toBe(4);
});

test("hostile notes do not keep the others from being indexed", async () => {
  const { index } = await openNotebook({
    "js.md": "---js\nthrow 1\n---\n[[Good]]",
    "yaml.md": "---\na: &a [x]\nb: [*a, *z]\n---\n[[Good]]",
    "proto.md": "---\n__proto__: {x: 1}\nlong key of a property: a value that is long enough\n---\n[[Good]]",
    "nul.md": "\0[[Good]]\0",
    "open.md": `${"[[".repeat(50_000)}\n[[Good]]`,
    "cycle a.md": "![[cycle b]] [[Good]]",
    "cycle b.md": "![[cycle a]] [[Good]]",
    "Good.md": "fine",
  });
  expect(new Set(index.graph.backlinks("file:///Good.md").map(({ from }) => from)).size).toBe(7);
  expect(index.graph.get("file:///yaml.md")?.problem).toBeDefined();
  expect(Object.keys(index.graph.get("file:///proto.md")?.properties ?? {})).toContain("__proto__");
  expect(index.graph.backlinks("file:///cycle a.md")).toHaveLength(1);
});

test("the whole machine is not indexed unless it is asked for", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "host", source: memorySource(createMemoryBlock(NOTES)) });
  expect(createNoteIndex({ sources }).mounts()).toEqual([]);
  expect(createNoteIndex({ sources, mounts: ["host"] }).mounts()).toEqual(["host"]);
});

test("progress is told, and a call that was given up ends", async () => {
  const { index } = await openNotebook(NOTES);
  const heard: IndexProgress[] = [];
  await index.refresh({ onProgress: (progress) => heard.push(progress) });
  expect(heard).toEqual([{ mount: "file", done: 4, total: 4 }]);
  const other = await openNotebook({});
  other.block.put("a.md", "x");
  await expect(other.index.refresh({ signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  await other.index.ready();
  await other.index.ready();
});

test("a first refresh that fails can be tried again", async () => {
  const block = createMemoryBlock(NOTES);
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource(block) });
  const index = createNoteIndex({ sources, mounts: ["file", "later"] });
  await expect(index.ready()).rejects.toMatchObject({ code: "not_found" });
  await sources.mount({ mount: "later", source: memorySource(createMemoryBlock({ "L.md": "[[A]]" })) });
  await index.ready();
  expect(index.graph.backlinks("file:///A.md").map(({ from }) => from)).toContain("later:///L.md");
});

test("changes that a source reports are followed until the end", async () => {
  const { block, index } = await openNotebook(NOTES);
  const stop = new AbortController();
  const errors: unknown[] = [];
  const following = index.follow({ signal: stop.signal, onError: (error) => errors.push(error) });
  await new Promise((resolve) => setImmediate(resolve));
  block.put("B.md", "[[C]]");
  while (index.graph.backlinks("file:///A.md").length > 0) await new Promise((resolve) => setImmediate(resolve));
  block.beforeRead = () => {
    throw new Error("broken");
  };
  block.put("B.md", "[[D E]]");
  while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await following;
  expect(errors).toHaveLength(1);
});

test("links cross sources: by address, by name and by alias", async () => {
  const other = createMemoryBlock({ "Far.md": "---\ntitle: Long Title\n---\n[[A]]", "deep/Way.md": "" });
  const { index } = await openNotebook(
    { "A.md": "[[Far]] [[Long Title]] [[memo:///deep/Way]] [[memo:///Far.md]] [[memo:///none]]" },
    { mounts: { memo: other } },
  );
  expect(index.graph.forwardLinks("file:///A.md").map(({ to }) => to)).toEqual([
    "memo:///Far.md",
    "memo:///Far.md",
    "memo:///deep/Way.md",
    "memo:///Far.md",
  ]);
  expect(index.graph.backlinks("file:///A.md").map(({ from }) => from)).toEqual(["memo:///Far.md"]);
});

test("real files are indexed, and only a touched one is read again", async () => {
  const root = await mkdtemp(join(tmpdir(), "ikigai-notes-"));
  try {
    await writeFile(join(root, "One.md"), "[[Two]]");
    await writeFile(join(root, "Two.md"), "");
    for (const name of ["One.md", "Two.md"]) await utimes(join(root, name), new Date(9_999), new Date(9_999));
    const sources = createSourceManager();
    await sources.mount({ mount: "file", source: directorySource(root) });
    const index = createNoteIndex({ sources });
    expect(await index.refresh()).toMatchObject({ notes: 2, read: 2 });
    await utimes(join(root, "Two.md"), new Date(0), new Date(0));
    expect(await index.refresh()).toMatchObject({ notes: 2, read: 1, unchanged: 1 });
    expect(index.graph.backlinks("file:///Two.md")).toHaveLength(1);
    await index.follow({ signal: AbortSignal.abort() });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("a save that leaves time and size as they were is found when it came right after the note was read", async () => {
  const root = await mkdtemp(join(tmpdir(), "ikigai-notes-"));
  try {
    const path = join(root, "One.md");
    const sources = createSourceManager();
    await sources.mount({ mount: "file", source: directorySource(root) });
    const store = createMemoryNoteIndexStore();
    const index = createNoteIndex({ sources, store });
    await writeFile(path, "[[Two]]");
    const now = new Date();
    await utimes(path, now, now);
    await index.noteChanged("file:///One.md");
    await writeFile(path, "[[Six]]");
    await utimes(path, now, now);
    expect(await createNoteIndex({ sources, store }).refresh()).toMatchObject({ read: 1 });
    const old = new Date(9_999);
    await utimes(path, old, old);
    await index.refresh();
    expect(index.graph.get("file:///One.md")?.links.map(({ raw }) => raw)).toEqual(["Six"]);
    expect(await index.refresh()).toMatchObject({ read: 0, unchanged: 1 });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test("a mount that cannot be listed is told once, left out, and tried again after a while", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource(createMemoryBlock(NOTES)) });
  const down = createMemoryBlock({ "Far.md": "" });
  let isDown = true;
  const source = memorySource(down);
  await sources.mount({
    mount: "far",
    source: {
      ...source,
      open: async (...given: Parameters<typeof source.open>) => {
        const opened = await source.open(...given);
        return {
          ...opened,
          list(...asked: Parameters<typeof opened.list>) {
            if (isDown) throw new Error("connection refused");
            return opened.list(...asked);
          },
        };
      },
    },
  });
  const told: string[] = [];
  let time = 0;
  const index = createNoteIndex({ sources, onMountFailure: (mount) => told.push(mount), now: () => time });
  await index.ready();
  await index.ready();
  expect(told).toEqual(["far"]);
  expect(index.graph.get("file:///A.md")).toBeDefined();
  isDown = false;
  await index.ready();
  expect(index.graph.get("far:///Far.md")).toBeUndefined();
  time = 30_000;
  await index.ready();
  await vi.waitFor(() => expect(index.graph.get("far:///Far.md")).toBeDefined());
});

test.each(["list", "read"] as const)(
  "a mount whose %s never settles is told once, left out while the others are served, and tried again",
  async (feature) => {
    const sources = createSourceManager();
    const source = memorySource(createMemoryBlock({ "Far.md": "", "Farther.md": "" }));
    let isSilent = true;
    const never = new Promise<never>(() => undefined);
    await sources.mount({
      mount: "far",
      source: {
        ...source,
        open: async (...given: Parameters<typeof source.open>) => {
          const opened = await source.open(...given);
          return {
            ...opened,
            async *list(...asked: Parameters<typeof opened.list>) {
              if (isSilent && feature === "list") await never;
              yield* opened.list(...asked);
            },
            read: (...asked: Parameters<typeof opened.read>) =>
              isSilent && feature === "read" ? never : opened.read(...asked),
          };
        },
      },
    });
    await sources.mount({ mount: "file", source: memorySource(createMemoryBlock(NOTES)) });
    const told: unknown[] = [];
    let time = 0;
    const onMountFailure = (mount: string, error: unknown): void => void told.push([mount, String(error)]);
    const index = createNoteIndex({ sources, onMountFailure, now: () => time, waitMs: 20 });
    await index.ready();
    expect(index.graph.get("file:///A.md")).toBeDefined();
    index.touch("far:///Far.md");
    await index.ready();
    expect(told).toEqual([["far", expect.stringContaining("far:/// did not answer within 20 ms")]]);
    isSilent = false;
    time = 30_000;
    // The slow mount is not waited for; its notes are there once it has answered.
    await index.ready();
    await vi.waitFor(() => expect(index.graph.get("far:///Far.md")).toBeDefined());
  },
);

test("notes of a mount that comes later are found and followed, and those of one that goes are forgotten", async () => {
  const sources = createSourceManager();
  await sources.mount({ mount: "file", source: memorySource(createMemoryBlock(NOTES)) });
  const index = createNoteIndex({ sources });
  await index.ready();
  const stop = new AbortController();
  const following = index.follow({ signal: stop.signal });
  const late = createMemoryBlock({ "Late.md": "" });
  await sources.mount({ mount: "late", source: memorySource(late) });
  await index.ready();
  expect(index.graph.get("late:///Late.md")).toBeDefined();
  await new Promise((resolve) => setImmediate(resolve));
  late.put("Later.md", "[[A]]");
  while (index.graph.get("late:///Later.md") === undefined) await new Promise((resolve) => setImmediate(resolve));
  index.touch("late:///Late.md");
  await sources.unmount("late");
  await index.ready();
  expect([...index.graph.rows()].map(({ mount }) => mount)).not.toContain("late");
  expect(index.graph.get("file:///A.md")).toBeDefined();
  stop.abort();
  await following;
});

test.each(["refresh", "noteChanged"] as const)(
  "a note that a list misses once stays in the index after %s",
  async (way) => {
    const { block, index } = await openNotebook({ "A.md": "a", "B.md": "b" });
    const { list } = block;
    let misses = 1;
    block.list = async function* (prefix, options) {
      const missing = misses-- > 0;
      for await (const entry of list(prefix, options)) if (!missing || entry.path !== "B.md") yield entry;
    };
    await (way === "refresh" ? index.refresh() : index.noteChanged("file:///B.md"));
    expect([...index.graph.rows()].map(({ uri }) => uri)).toEqual(["file:///A.md", "file:///B.md"]);
  },
);

test("a note that its source hides from now on leaves the index, although it can be read", async () => {
  const { block, index } = await openNotebook({ "A.md": "a", "B.md": "b" });
  const { list } = block;
  block.list = async function* (prefix, options) {
    for await (const entry of list(prefix, options)) if (entry.path !== "B.md") yield entry;
  };
  await index.refresh();
  expect([...index.graph.rows()].map(({ uri }) => uri)).toEqual(["file:///A.md"]);
});
