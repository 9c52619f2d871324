import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeBlock } from "../testing/make-block.ts";
import { SUITE_OPTIONS, type SuiteStore, testStore } from "../testing/store-suite.ts";
import { createDocuments } from "./documents.ts";
import { createFileStore } from "./file-store.ts";
import { lockFolder } from "./folder-lock.ts";
import { hasFileStore, takeFileStore } from "./take-file-store.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-file-store-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

function open(place: string = join(base, "state")): SuiteStore {
  return createFileStore({
    ...SUITE_OPTIONS,
    assetMount: "ikigai",
    folder: join(place, "files"),
    auditFile: join(place, "audit.jsonl"),
    journalFile: join(place, "journal.jsonl"),
  });
}

describe("a store in plain files", () => {
  testStore({
    test,
    keepsAssets: true,
    open: async () => ({ store: open(), again: async () => open(), close: async () => {} }),
  });
});

test("looking at a store that is not there makes nothing", async () => {
  const store = open();
  expect(await store.blocks.list("ana")).toEqual([]);
  expect(await store.conversations.list("ana")).toEqual([]);
  expect(await store.approvals.pending()).toEqual([]);
  expect(await store.audit.read()).toEqual([]);
  expect(await store.pins.status("ana")).toMatchObject({ pinned: 0, limit: 100 });
  expect(await readdir(base)).toEqual([]);
  await store.close();
});

test("files of the store are readable by their owner only", async () => {
  await open().blocks.create(makeBlock("ana", "plan"));
  const folder = join(base, "state/files/blocks");
  const [file = ""] = await readdir(folder);
  expect((await stat(folder)).mode & 0o077).toBe(0);
  expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
});

test("history and audit of plain files go by size, so a retention for them is refused", async () => {
  for (const kind of ["journal", "audit"] as const)
    await expect(open().prune({ [kind]: { days: 1 } })).rejects.toMatchObject({ code: "unsupported" });
});

test("questions that nobody waits for are forgotten after a day", async () => {
  const { createFileApprovals } = await import("./file-approvals.ts");
  let now = new Date("2026-01-01T00:00:00Z");
  const approvals = createFileApprovals(createDocuments(join(base, "files")), () => now);
  const asked = { agent: "ana", tool: "x", person: "partner", question: "?", waitMs: 1_000 };
  const old = await approvals.add(asked);
  await approvals.answer(old, { approved: true, by: "eve" });
  now = new Date("2026-01-03T00:00:00Z");
  await approvals.add(asked);
  expect(await approvals.answerTo(old)).toBeUndefined();
  await approvals.withdraw("none");
});

test("questions wait in the order in which they were asked", async () => {
  const { createFileApprovals } = await import("./file-approvals.ts");
  let now = new Date("2026-01-01T00:00:00Z");
  const approvals = createFileApprovals(createDocuments(join(base, "files")), () => now);
  for (const question of ["first", "second", "third", "fourth"]) {
    await approvals.add({ agent: "ana", tool: "x", person: "partner", question, waitMs: 60_000 });
    now = new Date(now.getTime() + 1);
  }
  const waiting = await approvals.pending();
  expect(waiting.map(({ question }) => question)).toEqual(["first", "second", "third", "fourth"]);
});

test("blocks of one file are found by it, of whoever they are", async () => {
  const { blocks } = open();
  const origin = { uri: "file:///plan.md", version: "1", frontiers: "0", digest: "d" };
  const made = [];
  for (const owner of ["ana", "bob", "eve"])
    made.push(await blocks.create(makeBlock(owner, "plan", "text", { ...(owner !== "eve" && { origin }) })));
  const ids = made.slice(0, 2).map(({ id }) => id);
  expect((await blocks.listByOrigin("file:///plan.md")).map(({ id }) => id)).toEqual(ids.toSorted());
});

test("a conversation without marks says so when one is asked for", async () => {
  const { conversations } = open();
  const id = await conversations.create("ana");
  await expect(conversations.rewind(id, "start")).rejects.toMatchObject({
    code: "not_found",
    hint: "Set a mark first.",
  });
});

describe("documents in a folder", () => {
  const all = async (folder: string): Promise<readonly object[]> =>
    createDocuments(folder).look((view) => view.list("kind"));

  test("a change that its process did not finish is finished by the next who looks", async () => {
    await createDocuments(base).change(async (change) => change.set("kind", "a", { n: 1 }));
    const [file = ""] = await readdir(join(base, "kind"));
    const writes = [
      [join("kind", file), JSON.stringify({ n: 2 })],
      [join("kind", "other.json"), JSON.stringify({ n: 3 })],
      [join("gone", "x.json"), null],
    ];
    await writeFile(join(base, "commit.json"), JSON.stringify(writes));
    expect((await all(base)).toSorted()).toEqual([{ n: 2 }, { n: 3 }]);
    expect(await readdir(base)).not.toContain("commit.json");
  });

  test("a change that throws stores nothing, and sees what it set itself", async () => {
    const documents = createDocuments(base);
    await expect(
      documents.change(async (change) => {
        change.set("kind", "a", { n: 1 });
        change.set("kind", "b", { n: 2 });
        change.remove("kind", "b");
        expect(await change.list("kind")).toEqual([{ n: 1 }]);
        expect(await change.get("kind", "b")).toBeUndefined();
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await all(base)).toEqual([]);
  });

  test("a damaged document is unavailable and named, never taken for an absent one", async () => {
    await mkdir(join(base, "kind"));
    await writeFile(join(base, "kind/x.json"), "{");
    await expect(all(base)).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("x.json") });
    await rm(join(base, "kind/x.json"));
    await mkdir(join(base, "kind/x.json"));
    await expect(all(base)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("what cannot be written is unavailable, and leaves no half file", async () => {
    await writeFile(join(base, "kind"), "a file where a folder should be");
    const documents = createDocuments(base);
    const change = documents.change(async (one) => one.set("kind", "a", { n: 1 }));
    await expect(change).rejects.toMatchObject({ code: "unavailable" });
    await rm(join(base, "kind"));
    await documents.change(async (one) => one.set("kind", "a", { n: 1 }));
    const [file = ""] = await readdir(join(base, "kind"));
    await rm(join(base, "kind", file));
    await mkdir(join(base, "kind", file));
    await expect(documents.change(async (one) => one.set("kind", "a", { n: 2 }))).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await readdir(join(base, "kind"))).toEqual([file]);
  });

  test("no change of many at once is lost, through several openings", async () => {
    const openings = [createDocuments(base), createDocuments(base), createDocuments(base)];
    await Promise.all(
      openings.flatMap((documents) =>
        Array.from({ length: 10 }, () =>
          documents.change(async (change) => {
            const { n } = (await change.get<{ n: number }>("kind", "count")) ?? { n: 0 };
            change.set("kind", "count", { n: n + 1 });
          }),
        ),
      ),
    );
    expect(await all(base)).toEqual([{ n: 30 }]);
  });
});

describe("the lock of a folder", () => {
  const lock = (): string => join(base, "lock");
  /** No process has such a number. */
  const GONE = 2 ** 22 + 1;

  test("of a process that ended is taken over, also behind a sweep that ended halfway", async () => {
    await writeFile(lock(), String(GONE));
    await writeFile(join(base, "lock.sweep"), String(GONE));
    await using _held = await lockFolder(base);
    expect(await readdir(base)).toEqual(["lock"]);
  });

  test("that was never written is taken over once it is old", async () => {
    await writeFile(lock(), "");
    await expect(lockFolder(base, 20)).rejects.toMatchObject({ code: "unavailable" });
    await utimes(lock(), 0, 0);
    await using _held = await lockFolder(base);
  });

  test("of a process that runs is waited for, and is unavailable in the end", async () => {
    await using _held = await lockFolder(base);
    await expect(lockFolder(base, 20)).rejects.toMatchObject({
      code: "unavailable",
      hint: expect.stringContaining(lock()),
    });
  });

  test("of a process of somebody else is left alone", async () => {
    await writeFile(lock(), "1");
    await expect(lockFolder(base, 20)).rejects.toMatchObject({ code: "unavailable" });
  });

  test("that cannot be made is unavailable", async () => {
    await expect(lockFolder(join(base, "none"))).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("what plain files keep can be handed on", () => {
  test("whole, once, and nothing is lost when the other store does not take it", async () => {
    const store = open();
    const folder = join(base, "state/files");
    expect(await takeFileStore(folder, async () => {})).toBe(false);
    const { id } = await store.blocks.create(makeBlock("ana", "plan", "one"));
    await store.pins.setLimit("ana", 50);
    const conversation = await store.conversations.create("ana");
    await expect(takeFileStore(folder, () => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
    expect(await store.blocks.list("ana")).toHaveLength(1);
    const taken: unknown[] = [];
    expect(await takeFileStore(folder, async (content) => void taken.push(content))).toBe(true);
    expect(taken).toMatchObject([
      {
        blocks: [{ record: { id }, snapshots: [{ revision: 0 }] }],
        budgets: [{ agent: "ana", limit: 50 }],
        conversations: [{ id: conversation }],
      },
    ]);
    expect(await hasFileStore(folder)).toBe(false);
    expect(await store.blocks.list("ana")).toEqual([]);
  });

  test("also a block whose text is missing", async () => {
    const store = open();
    const { id } = await store.blocks.create(makeBlock("ana", "plan"));
    await rm(join(base, "state/files/block-bytes"), { recursive: true });
    await expect(store.blocks.load(id)).rejects.toMatchObject({ code: "not_found" });
    expect(await takeFileStore(join(base, "state/files"), async ({ blocks }) => expect(blocks).toHaveLength(1))).toBe(
      true,
    );
  });
});
