import assert from "node:assert/strict";
import { IkigaiError } from "@ikigai/core";
import { embedPending } from "../embed/embed-pending.ts";
import { found, keep, ME, rejects } from "./helpers.ts";
import type { RecallCase } from "./recall-store-suite.ts";
import { createWordEmbedder } from "./word-embedder.ts";
import type { RecallStore } from "../contract.ts";

const embedder = createWordEmbedder(["car automobile vehicle", "doctor physician"]);

function embedAll(store: RecallStore): Promise<number> {
  assert.ok(store.embedding !== undefined, "a store with an embedder has `embedding`");
  return embedPending(store.embedding, { batch: 2 });
}

export const vectorCases: readonly RecallCase[] = [
  {
    id: "vector/finds-what-shares-no-word",
    embedder,
    async run(store) {
      await keep(store, ["I bought an automobile", "The soup was hot", "Rain again"]);
      assert.equal(await embedAll(store), 3);
      const [hit] = await store.search({ query: "car" }, ME);
      assert.equal(hit?.content, "I bought an automobile");
      assert.deepEqual(hit?.why.words, []);
      assert.equal(hit?.why.model, "words");
      assert.ok((hit?.why.vector ?? 0) > 0.3);
      assert.ok(hit.score > 0 && hit.score <= 1);
    },
  },
  {
    id: "vector/entries-without-one-are-still-found",
    embedder,
    async run(store) {
      await keep(store, ["I bought an automobile"]);
      await embedAll(store);
      await keep(store, ["The car is red"]);
      assert.equal((await found(store, "car"))[0], "The car is red");
      assert.deepEqual(await store.status(ME), { entries: 2, embedded: 1, model: "words" });
    },
  },
  {
    id: "vector/goes-with-the-entry",
    embedder,
    async run(store) {
      const [a, b] = await keep(store, ["my physician called", "an automobile passed"]);
      await embedAll(store);
      await store.erase(a as string, { by: "ann" }, ME);
      await keep(store, [{ content: "a bicycle passed", supersedes: b as string }]);
      assert.ok(!(await found(store, "doctor")).includes(""));
      assert.ok(!(await found(store, "car")).includes("an automobile passed"));
      assert.equal((await store.status(ME)).embedded, 0);
    },
  },
  {
    id: "vector/embedding-resumes-where-it-stopped",
    embedder,
    async run(store) {
      await keep(store, ["one", "two", "three", "four", "five"]);
      const progress: number[] = [];
      const stop = new AbortController();
      const onProgress = ({ remaining }: { remaining: number }): void => {
        progress.push(remaining);
        stop.abort(new Error("enough"));
      };
      assert.ok(store.embedding !== undefined);
      await assert.rejects(embedPending(store.embedding, { batch: 2, signal: stop.signal, onProgress }), /enough/);
      assert.deepEqual(progress, [3]);
      assert.equal(await embedAll(store), 3);
      assert.equal(await embedAll(store), 0);
    },
  },
  {
    id: "vector/search-goes-on-without-the-embedder",
    embedder: {
      id: "away",
      dimensions: 2,
      embed: () => Promise.reject(new IkigaiError("unavailable", "the model is away")),
    },
    async run(store) {
      await keep(store, ["The car is red"]);
      const notes: string[] = [];
      const [hit] = await store.search({ query: "car" }, { ...ME, warn: (note) => void notes.push(note) });
      assert.equal(hit?.content, "The car is red");
      assert.deepEqual(hit?.why.also, []);
      assert.deepEqual(notes, ["without meaning: the model is away"]);
      await rejects(embedAll(store), "unavailable");
      assert.equal((await store.status(ME)).embedded, 0);
    },
  },
  {
    id: "vector/a-fault-of-the-embedder-is-not-hidden",
    embedder: { id: "broken", dimensions: 2, embed: () => Promise.reject(new Error("a bug")) },
    async run(store) {
      await keep(store, ["The car is red"]);
      await assert.rejects(store.search({ query: "car" }, ME), /a bug/);
    },
  },
];
