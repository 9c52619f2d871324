import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test, vi } from "vitest";
import { createCapture } from "./output-capture.ts";
import { createNotifier } from "./output-notifier.ts";
import { toText, trimEnd, trimStart } from "./output-text.ts";

const folder = mkdtempSync(join(tmpdir(), "capture-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => join(folder, String(++files));

test("captured output can be read whole, and what is shown is its beginning and end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }), async (chunks) => {
      const whole = Buffer.concat(chunks);
      const capture = createCapture({ headBytes: 20, tailBytes: 30, file: newFile(), maxKeptBytes: 1_000 });
      for (const chunk of chunks) await capture.add(Buffer.from(chunk));
      const shown = await capture.snapshot(10_000);
      expect(shown.totalBytes).toBe(whole.length);
      expect(capture.totalBytes).toBe(whole.length);
      expect(await capture.read(0, 10_000)).toEqual(whole);
      expect(await capture.read(7, 9)).toEqual(whole.subarray(7, 16));
      const seen = shown.kept === undefined ? shown.text : toText(readFileSync(shown.kept.path));
      expect(seen).toBe(toText(whole));
      await capture.close();
      expect(await capture.read(0, 10_000)).toEqual(whole);
    }),
    { numRuns: 60 },
  );
});

test("no snapshot is longer than it may be as JSON, and half a character is never shown", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc.integer({ min: 200, max: 600 }),
      async (text, max) => {
        const capture = createCapture({ headBytes: 100, tailBytes: 100, file: newFile(), maxKeptBytes: 1e6 });
        await capture.add(Buffer.from(text.toWellFormed().replaceAll(/[\0\uFFFD]/g, "")));
        const { text: shown } = await capture.snapshot(max);
        expect(JSON.stringify(shown).length).toBeLessThanOrEqual(max);
        expect(shown).not.toContain("\uFFFD");
        await capture.close();
      },
    ),
    { numRuns: 100 },
  );
});

test("a capture keeps no more output than it may, and goes on counting", async () => {
  const capture = createCapture({ headBytes: 2, tailBytes: 2, file: newFile(), maxKeptBytes: 10 });
  for (let index = 0; index < 5; index++) {
    await capture.add(Buffer.from("abcdef"));
    await capture.snapshot(1_000);
  }
  const { kept, totalBytes, text } = await capture.snapshot(1_000);
  expect({ totalBytes, bytes: kept?.bytes }).toEqual({ totalBytes: 30, bytes: 10 });
  expect(text).toBe("ab\n[… 26 bytes left out …]\nef");
  await capture.close();
});

test("a file that cannot be written is reported, and the output still taken in", async () => {
  const file = newFile();
  mkdirSync(file);
  const capture = createCapture({ headBytes: 2, tailBytes: 2, file, maxKeptBytes: 100 });
  await capture.add(Buffer.from("abcdef"));
  await capture.add(Buffer.from("ghi"));
  expect(await capture.snapshot(1_000)).toMatchObject({
    totalBytes: 9,
    kept: { bytes: 0, error: expect.stringContaining("EEXIST") },
  });
  expect(await capture.read(0, 10)).toEqual(Buffer.alloc(0));
});

test("many small pieces do not pile up", async () => {
  const capture = createCapture({ headBytes: 10, tailBytes: 1_000, file: newFile(), maxKeptBytes: 1e6 });
  for (let index = 0; index < 3_000; index++) await capture.add(Buffer.from("x"));
  expect((await capture.snapshot(10_000)).totalBytes).toBe(3_000);
  await capture.close();
});

test("cutting at characters leaves whole ones", () => {
  const bytes = Buffer.from("aé日😀");
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(toText(trimEnd(bytes.subarray(0, cut)))).not.toContain("\uFFFD");
    expect(toText(trimStart(bytes.subarray(cut)))).not.toContain("\uFFFD");
  }
  expect(trimEnd(Buffer.from([0x80, 0x80, 0x80, 0x80])).length).toBe(4);
});

test("new output of a job comes in pieces of whole characters, and of a flood the end", async () => {
  const heard: string[] = [];
  const notifier = createNotifier((text) => heard.push(text));
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
  notifier.add(Buffer.concat([Buffer.from("a"), first]));
  await vi.waitFor(() => expect(heard).toEqual(["a"]));
  notifier.add(second);
  notifier.add(Buffer.from("x".repeat(10_000)));
  notifier.end();
  expect(heard[1]).toBe(`[… 5906 bytes …]\n${"x".repeat(4_096)}`);
  notifier.end();
  expect(heard.length).toBe(2);
});
