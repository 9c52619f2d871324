import * as fc from "fast-check";
import { expect, test } from "vitest";
import { boundOutput, cutText, mostJson } from "./bound-output.ts";

async function bound(data: unknown, limit: number) {
  const kept: string[] = [];
  const result = await boundOutput(data, limit, async (text) => `kept:///${kept.push(text)}`);
  return { ...result, kept };
}

test("an answer that fits is returned untouched and not kept", async () => {
  const data = { a: [1, "two"] };
  expect(await bound(data, 100)).toEqual({ data, kept: [] });
  expect((await bound(data, 100)).data).toBe(data);
});

test("an answer of undefined becomes null", async () => {
  expect(await boundOutput(undefined, 10)).toEqual({ data: null });
  expect(await boundOutput(() => 1, 10)).toEqual({ data: null });
});

test("a long text is cut, its neighbours stay, and the text itself is kept", async () => {
  const content = "line\n".repeat(1_000);
  const { data, truncated, kept } = await bound({ path: "a.md", content, lines: 1_000 }, 200);
  expect(data).toMatchObject({ path: "a.md", lines: 1_000 });
  const shown = (data as { content: string }).content;
  expect(content.startsWith(shown) && shown.length > 50).toBe(true);
  expect(kept).toEqual([content]);
  const next_line = shown.split("\n").length;
  expect(truncated).toEqual({ kept: "kept:///1", total_chars: 5_000, shown_chars: shown.length, next_line });
  // The line to continue from begins within what is shown.
  expect(shown.startsWith("line\n".repeat(next_line - 1))).toBe(true);
});

test("a long list loses its end, and everything is kept as JSON", async () => {
  const data = { results: Array.from({ length: 500 }, (_, id) => ({ id, text: "some words" })) };
  const bounded = await bound(data, 300);
  const { results } = bounded.data as typeof data;
  expect(results).toEqual(data.results.slice(0, results.length));
  expect(results.length).toBeGreaterThan(3);
  expect(bounded.kept).toEqual([JSON.stringify(data)]);
});

test("a list of which not even one item fits has its first item cut", async () => {
  const { data, kept } = await bound([{ text: "x".repeat(500) }, 2], 100);
  expect((data as [{ text: string }])[0].text).toMatch(/^x{50,}$/);
  expect(JSON.parse(kept[0] as string)).toHaveLength(2);
});

test("two long texts share the room, and both are kept", async () => {
  const both = { a: "a".repeat(400), b: "b".repeat(400) };
  const { data, kept } = await bound(both, 200);
  const { a, b } = data as typeof both;
  expect(Math.abs(a.length - b.length)).toBeLessThan(60);
  expect(kept).toEqual([JSON.stringify(both)]);
});

test("an answer that cannot be cut by parts is shown as the beginning of its JSON", async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key ${at}`, at]));
  const { data, kept } = await bound({ ...many, text: "x".repeat(100) }, 100);
  expect(data).toMatch(/^\{"key 0":0/);
  expect(kept).toEqual([JSON.stringify({ ...many, text: "x".repeat(100) })]);
});

test("a cut answer without a place to keep the whole says only how much is missing", async () => {
  const { truncated } = await boundOutput("x".repeat(100), 50);
  expect(truncated).toEqual({ total_chars: 100, shown_chars: 48, next_line: 1 });
});

test("a depth beyond reason costs no more than its size", async () => {
  let nested: unknown = "x".repeat(100_000);
  for (let depth = 0; depth < 500; depth++) nested = depth % 2 === 0 ? [nested] : { nested };
  const { data, kept } = await bound(nested, 1_000);
  expect(JSON.stringify(data).length).toBeLessThanOrEqual(1_000);
  expect(JSON.parse(kept[0] as string)).toEqual(nested);
});

test("a cut never halves a pair and counts what escaping adds", () => {
  expect(cutText("🧠🧠🧠", 7)).toBe("🧠🧠");
  expect(cutText("🧠🧠🧠", 5)).toBe("🧠");
  expect(JSON.stringify(cutText("\n".repeat(100), 50)).length).toBeLessThanOrEqual(50);
  expect(cutText("abc", 0)).toBe("");
  expect(cutText("ｆｆｆ", 4)).toBe("ｆｆ");
});

test("never exceeds the limit, and what is kept is whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 6 }),
      fc.string({ maxLength: 400 }),
      fc.integer({ min: 2, max: 300 }),
      async (value, text, limit) => {
        for (const data of [value, { value, text }, [text, value]]) {
          const json = JSON.stringify(data);
          const { data: shown, truncated, kept } = await bound(data, limit);
          expect(JSON.stringify(shown).length).toBeLessThanOrEqual(limit);
          expect(truncated === undefined).toBe(json.length <= limit);
          expect(truncated?.total_chars).toBe(kept[0]?.length);
          const [whole = json] = kept;
          expect(whole === json || restored(shown, whole).includes(json)).toBe(true);
        }
      },
    ),
    { numRuns: 500 },
  );
});

/** Every value that results from putting the kept text where a beginning of it is shown, as JSON. */
function restored(shown: unknown, whole: string): string[] {
  if (typeof shown === "string")
    return [JSON.stringify(shown), ...(whole.startsWith(shown) ? [JSON.stringify(whole)] : [])];
  if (typeof shown !== "object" || shown === null) return [JSON.stringify(shown)];
  const entries = Object.entries(shown);
  return entries.flatMap(([key, part]) =>
    restored(part, whole).map((json) => {
      const copy = structuredClone(shown) as Record<string, unknown>;
      Object.defineProperty(copy, key, { value: JSON.parse(json) as unknown, enumerable: true });
      return JSON.stringify(copy);
    }),
  );
}

test("the most that JSON can have is never less than it has", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      expect(mostJson(value)).toBeGreaterThanOrEqual(JSON.stringify(value).length);
    }),
  );
  expect(mostJson({ kept: 1, left: undefined })).toBeGreaterThanOrEqual('{"kept":1}'.length);
  expect(mostJson([undefined])).toBeGreaterThanOrEqual("[null]".length);
  expect(mostJson(-Number.MIN_VALUE * 3e15)).toBeGreaterThanOrEqual(String(-Number.MIN_VALUE * 3e15).length);
});

test.each([
  ["a map", new Map()],
  ["a list with a JSON of its own", Object.assign([], { toJSON: () => "x".repeat(100) })],
  ["something with a JSON of its own", { toJSON: () => "x".repeat(100) }],
  ["a date", new Date(0)],
  ["nothing", undefined],
  ["a function", () => {}],
  ["a large number", 10n],
])("what %s may become is not guessed", (_, value) => {
  expect(mostJson(value)).toBe(Number.POSITIVE_INFINITY);
  if (value !== undefined) expect(mostJson([value])).toBe(Number.POSITIVE_INFINITY);
});

test("holes in a list are counted as the nulls that they become in JSON", async () => {
  const { data } = await boundOutput({ rows: Array.from({ length: 1_000 }).fill(null) }, 100);
  const rows: unknown[] = [];
  rows.length = 1_000;
  expect((await boundOutput({ rows }, 100)).data).toEqual(data);
});

test("measuring a circular answer costs no more than the limit", () => {
  const circle: Record<string, unknown> = {};
  for (let index = 0; index < 10; index++) circle[`k${index}`] = circle;
  expect(mostJson(circle, 10_000)).toBe(Number.POSITIVE_INFINITY);
});

test("an answer with a circle in it is refused", async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  await expect(boundOutput(circle, 1_000_000)).rejects.toThrow(/circular/i);
});
