import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CHUNK_BYTES, chunkEnds } from "./chunk-ends.ts";
import { cutText, MIN_CUT_CHARS } from "./cut-text.ts";
import { joinText } from "./join-text.ts";
import { chunkKey, packChunk, type StoredChunk, unpackChunk } from "./text-chunk.ts";

/** Lines that no two places have in common. */
function linesOf(count: number, seed = 1): string {
  let number = seed;
  return Array.from({ length: count }, (_, n) => {
    number = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d) + n;
    return `${n} ${number.toString(36)} ${(number ^ 0x55555555).toString(36)} and some words of a line\n`;
  }).join("");
}

async function pack(text: string): Promise<Map<string, StoredChunk>> {
  const packed = await Promise.all([...(cutText(text)?.chunks.values() ?? [])].map(packChunk));
  return new Map(packed.map((chunk) => [chunk.key, chunk]));
}

async function thereAndBack(text: string): Promise<string> {
  const stored = await pack(text);
  return joinText(cutText(text)?.root ?? Buffer.alloc(0), (key) => stored.get(key), "it");
}

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 3_000 }),
      fc.string({ unit: "grapheme", maxLength: 3_000 }),
      fc.tuple(fc.string({ minLength: 1, maxLength: 9 }), fc.nat(9_000)).map(([word, count]) => word.repeat(count)),
      fc.nat(400).map((seed) => linesOf(120, seed)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("a text that was cut and packed is the same text again, whatever its characters", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      if (text.length < MIN_CUT_CHARS || !text.isWellFormed()) expect(cutText(text)).toBeUndefined();
      else expect((await thereAndBack(text)) === text).toBe(true);
    }),
    { numRuns: 60 },
  );
  const marked = `\uFEFF${"\0 NUL and a mark of byte order\r\n".repeat(2_000)}`;
  expect((await thereAndBack(marked)) === marked).toBe(true);
});

test("a lone surrogate keeps a text from being cut, since UTF-8 has none", () => {
  expect(cutText(`${"x".repeat(20_000)}\ud800`)).toBeUndefined();
});

test("an edit anywhere changes at most a handful of chunks and lists of a text of 2 MB", () => {
  const text = linesOf(40_000);
  const whole = cutText(text);
  const count = whole?.chunks.size ?? 0;
  expect(count).toBeGreaterThan(150);
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(300), fc.string({ maxLength: 300 }), (at, gone, added) => {
      const edited = cutText(text.slice(0, at) + added.toWellFormed() + text.slice(at + gone));
      const fresh = [...(edited?.chunks.keys() ?? [])].filter((key) => whole?.chunks.has(key) !== true);
      expect(fresh.length).toBeLessThanOrEqual(9);
      // Room for eight lists of the most hashes that a list has; usually it is a twelfth of that.
      expect(edited?.root.length).toBeLessThanOrEqual(count * 2);
    }),
    { numRuns: 40 },
  );
});

test("chunks have their bounds, also where a text repeats itself", () => {
  for (const bytes of [Buffer.alloc(1_000_000), Buffer.from(linesOf(20_000))]) {
    const ends = chunkEnds(bytes);
    const sizes = ends.map((end, index) => end - (ends[index - 1] ?? 0));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes.length);
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(CHUNK_BYTES.min);
    for (const size of sizes) expect(size).toBeLessThanOrEqual(CHUNK_BYTES.max);
  }
  const bytes = Buffer.from(linesOf(20_000));
  const usual = bytes.length / chunkEnds(bytes).length;
  expect(usual).toBeGreaterThan(CHUNK_BYTES.usual / 2);
  expect(usual).toBeLessThan(CHUNK_BYTES.usual * 2);
});

test("the ends of chunks are the same in every version, or nothing that was kept would be found again", () => {
  const ends = chunkEnds(Buffer.from(linesOf(2_000)));
  expect(createHash("sha256").update(ends.join()).digest("hex").slice(0, 16)).toBe("f98d4531461830d7");
});

test("a piece that is missing or damaged is an error with the name of the text", async () => {
  const text = linesOf(40_000);
  const root = cutText(text)?.root ?? Buffer.alloc(0);
  const stored = await pack(text);
  const join = (chunks: ReadonlyMap<string, StoredChunk>): string =>
    joinText(root, (key) => chunks.get(key), "entry 7");
  for (const packing of ["list", "deflated"] as const) {
    const one = [...stored.values()].find((chunk) => chunk.packing === packing) as StoredChunk;
    const missing = new Map(stored);
    missing.delete(one.key);
    expect(() => join(missing)).toThrow(/entry 7 cannot be read: a piece of it is missing/);
    for (const bytes of [
      Buffer.from("no"),
      Buffer.from(one.bytes).fill(7, 40, 41),
      Buffer.from(one.bytes).subarray(9),
    ]) {
      expect(() => join(new Map([...stored, [one.key, { ...one, bytes }]]))).toThrow(
        expect.objectContaining({ code: "unavailable", message: expect.stringContaining("is damaged") }),
      );
    }
  }
  const other = new Map([...stored].map(([key, chunk]) => [key, { ...chunk, key, bytes: Buffer.from("plain") }]));
  expect(() => join(other)).toThrow("is damaged");
});

test("bytes that do not shrink are kept as they are, and a text is no list whatever its bytes", async () => {
  const noise = Array.from({ length: 900 }, (_, n) => createHash("sha512").update(String(n)).digest("base64")).join("");
  expect((await thereAndBack(noise)) === noise).toBe(true);
  const bytes = Buffer.from(Array.from({ length: 64 }, (_, n) => n * 3 + 1));
  const { packing } = await packChunk({ key: "k", kind: "text", bytes });
  expect(packing).toBe("plain");
  const list = [...(cutText(linesOf(40_000))?.chunks.values() ?? [])].find(({ kind }) => kind === "list");
  expect(list && joinable(list.key, list.bytes)).toBe(false);
});

test("a piece that unpacks to more than a piece may have is damaged, though its hash is right", () => {
  const bytes = Buffer.alloc(CHUNK_BYTES.max + 1, 0x20);
  const key = chunkKey("text", bytes);
  expect(unpackChunk({ key, packing: "deflated", bytes: deflateRawSync(bytes) })).toBeUndefined();
  const most = bytes.subarray(1);
  const fits = { key: chunkKey("text", most), packing: "deflated", bytes: deflateRawSync(most) } as const;
  expect(unpackChunk(fits)).toHaveLength(CHUNK_BYTES.max);
});

function joinable(key: string, bytes: Uint8Array): boolean {
  try {
    joinText(Buffer.from(key, "hex"), () => ({ key, packing: "plain", bytes }), "it");
    return true;
  } catch {
    return false;
  }
}
