import { setImmediate as turn } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { BlockEdit } from "@ikigai/core/host";
import { LoroDoc } from "loro-crdt/base64";
import { describe, expect, test, vi } from "vitest";
import type { BlockStore } from "../block-store.ts";
import { createMemoryBlockStore } from "../memory-block-store.ts";
import { actor, createBlockBench, defineAll, NOW } from "../../testing/block-bench.test.helper.ts";
import { loadLibraries } from "./libraries.ts";

await loadLibraries();

const ada = actor("ada");
const bob = actor("bob");
const append = (content: string): BlockEdit => ({ op: "append", content });

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

  test("a read that waits while a change is tried and refused does not keep what was refused", async () => {
    const store = createMemoryBlockStore();
    let wait: Promise<void> | undefined;
    let refuse = false;
    const slow: BlockStore = {
      ...store,
      async updatesAfter(...given) {
        const updates = await store.updatesAfter(...given);
        const waiting = wait;
        wait = undefined;
        await waiting;
        return updates;
      },
      async commit(commit) {
        await turn();
        if (refuse) throw new Error("no database");
        return store.commit(commit);
      },
    };
    const { blocks, other } = await createBlockBench({}, { store: slow });
    const second = other();
    await defineAll(blocks);
    await blocks.text("text", ada);
    await second.edit("text", append("theirs;"), ada);
    let go = (): void => {};
    wait = new Promise((resolve) => (go = resolve));
    const reading = blocks.text("text", ada);
    await turn();
    refuse = true;
    const refused = blocks.edit("text", append("refused;"), ada).catch((error: Error) => error.message);
    await turn();
    go();
    expect(await reading).toBe("one\ntwo\ntheirs;");
    expect(await refused).toBe("no database");
    refuse = false;
    await blocks.edit("text", append("mine;"), ada);
    expect(await other().text("text", ada)).toBe("one\ntwo\ntheirs;mine;");
    expect(await blocks.text("text", ada)).toBe("one\ntwo\ntheirs;mine;");
  });

  test("readers and writers of two processes, some refused, leave every acknowledged edit and a sound block", async () => {
    const store = createMemoryBlockStore();
    let count = 0;
    const flaky: BlockStore = {
      ...store,
      updatesAfter: async (...given) => (await turn(), store.updatesAfter(...given)),
      load: async (...given) => (await turn(), store.load(...given)),
      async commit(commit) {
        await turn();
        if (count++ % 4 === 3) throw new Error("no database");
        return store.commit(commit);
      },
    };
    const { blocks, other } = await createBlockBench({}, { store: flaky });
    const second = other();
    count = -1_000_000;
    await defineAll(blocks);
    count = 0;
    const kept: string[] = [];
    await Promise.all(
      [blocks, second].flatMap((side, place) => [
        ...Array.from({ length: 3 }, async (_, writer) => {
          for (let round = 0; round < 15; round++) {
            const piece = `${place}-${writer}-${round};`;
            await side.edit("text", append(piece), ada).then(
              () => kept.push(piece),
              () => {},
            );
          }
        }),
        ...Array.from({ length: 3 }, async () => {
          for (let round = 0; round < 60; round++) await side.text("text", ada);
        }),
      ]),
    );
    expect(kept.length).toBeGreaterThan(20);
    const text = await other().text("text", ada);
    expect(kept.filter((piece) => !text.includes(piece))).toEqual([]);
    expect(text.split(";")).toHaveLength(kept.length + 1);
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

describe("memory", () => {
  /** Every call takes a turn of the event loop, so that others come in between. */
  function slow(store: BlockStore): BlockStore {
    return new Proxy(store, {
      get(target, name) {
        const call = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          await turn();
          const result = await call(...args);
          await turn();
          return result;
        };
      },
    });
  }

  test("documents that others took the place of give their memory back", async () => {
    const files = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, `text ${i}`]));
    const { blocks } = await createBlockBench(files, { keepOpen: 2 });
    // Gives back the memory of documents that earlier tests let go of.
    await turn();
    const free = vi.spyOn(LoroDoc.prototype, "free");
    try {
      for (const name of Object.keys(files)) await blocks.load(name, ada);
      await turn();
      expect(free).toHaveBeenCalledTimes(8);
      for (const name of Object.keys(files)) expect(await blocks.text(name, ada)).toBe(files[name]);
      await turn();
      expect(free).toHaveBeenCalledTimes(18);
    } finally {
      free.mockRestore();
    }
  });

  test.each([1, 2])("nobody loses a document that is in use, with %i kept open", async (keepOpen) => {
    const names = Array.from({ length: 6 }, (_, i) => `f${i}`);
    const store = slow(createMemoryBlockStore());
    const files = Object.fromEntries(names.map((name) => [name, ""]));
    const { blocks, other } = await createBlockBench(files, { store, keepOpen });
    const second = other();
    for (const name of names) await blocks.load(name, ada);
    const rounds = Array.from({ length: 8 }, (_, round) => round);
    const work = rounds.flatMap((round) =>
      names.flatMap((name, i) => [
        (round % 2 === 0 ? blocks : second).edit(name, append(`${round};`), ada),
        blocks.text(name, ada),
        second.history(name, ada),
        blocks.previewEdit(name, append("x"), ada),
        blocks.info(names[(i + round) % names.length] ?? name, ada),
      ]),
    );
    await Promise.all(work);
    for (const name of names) {
      const text = await blocks.text(name, ada);
      expect(text.split(";").filter(Boolean).map(Number).toSorted()).toEqual(rounds);
      expect(await second.text(name, ada)).toBe(text);
      await blocks.edit(name, { op: "undo" }, ada);
    }
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
