import assert from "node:assert/strict";
import { found, keep, ME } from "./helpers.ts";
import type { RecallCase } from "./recall-store-suite.ts";

const HOSTILE: readonly string[] = [
  '"quoted walrus"',
  "walrus AND (",
  "((((walrus",
  "!!! walrus !!!",
  "walrus & | ! <-> :*",
  "walrus'; drop table recall_entry; --",
  "$1 walrus $$",
  "walrus\\",
  "walrus \0 \ud800",
  "walrus %_%",
  "walrus -dog +cat field:value ^2 ~3 [a TO b]",
  "💥 walrus 👩‍👩‍👧",
  `walrus ${"x".repeat(100_000)}`,
  `${"filler words of all kinds ".repeat(4_000)} walrus`.slice(-100_000),
  `walrus ${Array.from({ length: 8_000 }, (_, i) => `w${i}`).join(" ")}`,
];

export const hostileCases: readonly RecallCase[] = [
  {
    id: "hostile/the-end-of-a-long-query-counts",
    async run(store) {
      await keep(store, ["The puppy is called Rufus.", ...Array.from({ length: 40 }, (_, i) => `filler${i} filler`)]);
      const words = (count: number): string => Array.from({ length: count }, (_, i) => `nowhere${i}`).join(" ");
      for (const query of [`${words(500)} rufus`, `${words(6_000)} rufus`, `filler ${words(500)} rufus`]) {
        const notes: string[] = [];
        const hits = await store.search({ query, limit: 200 }, { ...ME, warn: (note) => void notes.push(note) });
        assert.ok(
          hits.some(({ content }) => content.includes("Rufus")),
          query.slice(0, 40),
        );
        assert.deepEqual(notes, []);
      }
    },
  },
  {
    id: "hostile/words-that-are-left-out-are-said",
    async run(store) {
      const known = Array.from({ length: 40 }, (_, i) => `filler${i}`);
      await keep(store, known);
      const notes: string[] = [];
      await store.search({ query: known.join(" ") }, { ...ME, warn: (note) => void notes.push(note) });
      assert.match(notes.join(), /30 rarest words of the query/);
    },
  },
  {
    id: "hostile/what-is-left-of-an-endless-query-is-said",
    async run(store) {
      await keep(store, ["The walrus sleeps on the ice."]);
      const notes: string[] = [];
      await store.search({ query: `walrus ${"x ".repeat(60_000)}` }, { ...ME, warn: (note) => void notes.push(note) });
      assert.equal(notes.length, 1);
      assert.match(notes[0] ?? "", /100000 of 120007 characters/);
    },
  },
  {
    id: "hostile/query-text-is-data",
    async run(store) {
      await keep(store, ["The walrus sleeps on the ice.", "An unrelated line."]);
      for (const query of HOSTILE) {
        assert.equal((await found(store, query))[0], "The walrus sleeps on the ice.", query.slice(0, 60));
      }
    },
  },
  {
    id: "hostile/queries-without-words-are-empty",
    async run(store) {
      await keep(store, ["something"]);
      for (const query of ["((", "!!!", "''", '"', "\\", "%", "\0", "\ud83d", "   ", "…", "*".repeat(100_000)]) {
        assert.deepEqual(await found(store, query), [], query.slice(0, 20));
      }
    },
  },
  {
    id: "hostile/content-is-data",
    async run(store) {
      const contents = [...HOSTILE.filter((text) => !text.includes("\0")), "{1,2}", "null", "'); --", '\\"{}'];
      await keep(store, contents);
      const kept = (await store.scan({}, ME)).map(({ content }) => content);
      assert.deepEqual(kept, contents);
    },
  },
  {
    id: "hostile/metadata-and-thread-are-data",
    async run(store) {
      const metadata = { "a'b": '"', $1: "\\u0000", __proto__x: { deep: ["{}", "'"] }, emoji: "👩‍👩‍👧" };
      const [id] = await keep(store, [{ content: "odd", metadata, thread: "t'{},\\\"" }]);
      const entry = await store.get(id as string, ME);
      assert.deepEqual([entry.metadata, entry.thread], [metadata, "t'{},\\\""]);
    },
  },
];
