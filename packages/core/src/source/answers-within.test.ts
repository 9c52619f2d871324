import { expect, test } from "vitest";
import { answersWithin } from "./answers-within.ts";
import type { TextEntry } from "./source.ts";

const never = new Promise<never>(() => undefined);

async function pathsOf(entries: AsyncIterable<TextEntry>, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of entries) {
    paths.push(path);
    if (paths.length === most) break;
  }
  return paths;
}

test("a reader that never answers is given up, in words", async () => {
  const silent = answersWithin(
    { read: () => never, list: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }) },
    "far",
    1,
  );
  const refusal = { code: "timeout", message: "far:/// did not answer within 1 ms" };
  await expect(silent.read("a")).rejects.toMatchObject(refusal);
  await expect(pathsOf(silent.list(""))).rejects.toMatchObject(refusal);
});

test("a list that falls silent on its way gives what came before, then is given up", async () => {
  const seen: string[] = [];
  const reader = answersWithin(
    {
      read: () => never,
      async *list() {
        yield { path: "a" };
        await never;
      },
    },
    "far",
    1,
  );
  const reading = (async () => {
    for await (const { path } of reader.list("")) seen.push(path);
  })();
  await expect(reading).rejects.toMatchObject({ code: "timeout" });
  expect(seen).toEqual(["a"]);
});

test("answers and failures that come in time are passed on, and a list that is left early is ended", async () => {
  let ended = 0;
  const reader = answersWithin(
    {
      read: async (path) => (path === "a" ? { text: "A", version: "1" } : Promise.reject(new Error("broken"))),
      async *list() {
        try {
          yield { path: "a" };
          yield { path: "b" };
        } finally {
          ended++;
        }
      },
    },
    "near",
    60_000,
  );
  expect(await reader.read("a")).toEqual({ text: "A", version: "1" });
  await expect(reader.read("b")).rejects.toThrow("broken");
  expect(await pathsOf(reader.list(""))).toEqual(["a", "b"]);
  expect(await pathsOf(reader.list(""), 1)).toEqual(["a"]);
  expect(ended).toBe(2);
});
