import { IkigaiError } from "@ikigai/core";
import { expect, test } from "vitest";
import type { RecallEmbedding } from "../contract.ts";
import { createMemoryRecall } from "../memory/memory-recall.ts";
import { createWordEmbedder } from "../testing/word-embedder.ts";
import { embedPending } from "./embed-pending.ts";
import { keepEmbedding } from "./keep-embedding.ts";

const ME = { owner: "ann" };

/** Resolves when `done` says so, asked after every batch. */
function when(done: () => boolean): { promise: Promise<void>; check: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, check: () => void (done() && resolve()) };
}

test("entries that are stored while a process lives get their vectors in the background", async () => {
  const store = createMemoryRecall({ embedder: createWordEmbedder(["car automobile"]) });
  await store.insert([{ content: "an automobile" }], ME);
  let embedded = 0;
  const first = when(() => embedded >= 1);
  const second = when(() => embedded >= 2);
  await using kept = keepEmbedding(store.embedding as RecallEmbedding, {
    onProgress({ done }) {
      embedded += done;
      first.check();
      second.check();
    },
  });
  await first.promise;
  expect((await store.search({ query: "car" }, ME))[0]?.content).toBe("an automobile");
  await store.insert([{ content: "one more automobile" }], ME);
  kept.nudge();
  await second.promise;
  expect(await store.status(ME)).toMatchObject({ entries: 2, embedded: 2 });
});

test("a failing model is told once, asked again later, and no more often because more is stored", async () => {
  const failures: unknown[] = [];
  let calls = 0;
  const works = when(() => calls >= 3);
  const embedding: RecallEmbedding = {
    model: "m",
    async embedNext() {
      calls += 1;
      works.check();
      if (calls < 3) throw new IkigaiError("unavailable", "away");
      return { embedded: 0, remaining: 0 };
    },
  };
  const kept = keepEmbedding(embedding, { retryMs: 1, onFailure: (error) => void failures.push(error) });
  kept.nudge();
  await works.promise;
  await kept[Symbol.asyncDispose]();
  expect(failures).toHaveLength(1);
  expect(calls).toBe(3);
});

test("disposing waits for the batch at hand and starts no other", async () => {
  let finish = (): void => {};
  let calls = 0;
  const embedding: RecallEmbedding = {
    model: "m",
    async embedNext() {
      calls += 1;
      await new Promise<void>((resolve) => (finish = resolve));
      return { embedded: 1, remaining: 5 };
    },
  };
  const kept = keepEmbedding(embedding);
  const disposed = kept[Symbol.asyncDispose]();
  finish();
  await disposed;
  expect(calls).toBe(1);
});

function failing(errors: readonly unknown[]): RecallEmbedding & { calls: number } {
  const embedding = {
    model: "m",
    calls: 0,
    async embedNext() {
      const error = errors[embedding.calls];
      embedding.calls += 1;
      if (error !== undefined) throw error;
      return { embedded: 1, remaining: 0 };
    },
  };
  return embedding;
}

const busy = (status: number): IkigaiError =>
  new IkigaiError("unavailable", `it answered ${status}`, { details: { status, retry_after_ms: 1 } });

test("a busy endpoint is asked again as often as it may be, after the wait it asked for", async () => {
  const embedding = failing([busy(429), busy(503)]);
  expect(await embedPending(embedding)).toBe(1);
  expect(embedding.calls).toBe(3);
  await expect(embedPending(failing([busy(429), busy(429)]), { retries: 1 })).rejects.toThrow("429");
});

test.each([busy(401), new IkigaiError("unavailable", "gone"), new Error("a bug")])(
  "%s is not tried again",
  async (error) => {
    const embedding = failing([error]);
    await expect(embedPending(embedding)).rejects.toBe(error);
    expect(embedding.calls).toBe(1);
  },
);

test("a wait ends when the caller stops", async () => {
  const stop = new AbortController();
  const slow = new IkigaiError("unavailable", "busy", { details: { status: 429, retry_after_ms: 60_000 } });
  const embedding = failing([slow]);
  const running = embedPending(embedding, { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
});
