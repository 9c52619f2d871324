import type { TextChange } from "@ikigai/core";
import { expect, test } from "vitest";
import { followChanges } from "./change-follower.ts";

async function* changes(...paths: readonly string[]): AsyncGenerator<TextChange> {
  for (const path of paths) yield { path, change: "updated" };
}

test("changes of notes that come while another is indexed are taken together, each path once", async () => {
  const taken: string[] = [];
  await followChanges(changes("a", "b", "b", "a"), {
    signal: new AbortController().signal,
    onError: () => {},
    all: async () => void taken.push("everything"),
    async one(path) {
      await new Promise((resolve) => setImmediate(resolve));
      taken.push(path);
    },
  });
  expect(taken).toEqual(["a", "b", "a"]);
});

test("very many changes at once are taken over by looking at everything", async () => {
  const taken: string[] = [];
  const paths = Array.from({ length: 500 }, (_, at) => `n${at}`);
  await followChanges(changes("first", ...paths), {
    signal: new AbortController().signal,
    onError: () => {},
    all: async () => void taken.push("everything"),
    async one(path) {
      await new Promise((resolve) => setImmediate(resolve));
      taken.push(path);
    },
  });
  expect(taken).toEqual(["first", "everything"]);
});

test("a failure of the change follower is reported and the rest goes on; after its end nothing is reported", async () => {
  const errors: unknown[] = [];
  const stop = new AbortController();
  async function* broken(): AsyncGenerator<TextChange> {
    yield* changes("a", "b");
    throw new Error("the watcher is gone");
  }
  const options = {
    signal: stop.signal,
    onError: (error: unknown) => errors.push((error as Error).message),
    all: async () => {},
    one: (path: string) => Promise.reject(new Error(path)),
  };
  await followChanges(broken(), options);
  expect(errors.toSorted()).toEqual(["a", "b", "the watcher is gone"]);
  stop.abort();
  await followChanges(broken(), options);
  expect(errors).toHaveLength(3);
});
