import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { placeHolds, versionInside, versionOf } from "./content.ts";
import { openRoot, type Root } from "../place/directory.ts";
import { fileOps } from "../file-ops.ts";
import { walk } from "../place/walk.ts";

const PIECE = 64 * 1024;

let folder: string;
let root: Root;

beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/ikigai-content-`);
  root = await openRoot(folder, fileOps, true);
});

afterEach(async () => {
  await root.directory.close();
  await rm(folder, { recursive: true });
});

async function holds(present: Buffer, wanted: Buffer): Promise<boolean | undefined> {
  await writeFile(`${folder}/a`, present);
  return walk(root, "a", async (place) => place && placeHolds(place, wanted, fileOps));
}

test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])(
  "a file of %i bytes is compared to its last byte",
  async (size) => {
    const bytes = Buffer.alloc(size, "a");
    expect(await holds(bytes, bytes)).toBe(true);
    expect(await holds(Buffer.concat([bytes, Buffer.from("b")]), bytes)).toBe(false);
    if (size === 0) return;
    expect(await holds(bytes.subarray(1), bytes)).toBe(false);
    for (const at of [0, size >> 1, size - 1]) {
      const other = Buffer.from(bytes);
      other[at] = 0x62;
      expect(await holds(other, bytes)).toBe(false);
    }
  },
);

test("an absent file has no content, which differs from an empty file", async () => {
  expect(await walk(root, "a", async (place) => place && placeHolds(place, Buffer.alloc(0), fileOps))).toBeUndefined();
});

test.each([0, 1, PIECE, 3 * PIECE + 5])(
  "the version of an open file of %i bytes is that of its bytes",
  async (size) => {
    const bytes = Buffer.alloc(size, "abc");
    await writeFile(`${folder}/a`, bytes);
    const handle = await fileOps.open(`${folder}/a`, 0);
    expect(await versionInside(handle, fileOps, size)).toBe(versionOf(bytes));
    // A file that grew since it was looked at is read to its end.
    expect(await versionInside(handle, fileOps, size >> 1)).toBe(versionOf(bytes));
    await fileOps.close(handle);
  },
);
