import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOutputFolder } from "./output-folder.ts";

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ikigai-outputs-"));
  folder = join(root, "ann");
  await mkdir(folder);
});
afterEach(() => rm(root, { recursive: true }));

const names = async (): Promise<string[]> => (await readdir(folder)).toSorted();

test("an output that was kept before is not written twice, and other users of the machine cannot read it", async () => {
  const kept = createOutputFolder(root, folder);
  await kept.add("a.txt", Buffer.from("one"));
  await utimes(join(folder, "a.txt"), 1_000_000_000, 1_000_000_000);
  await kept.add("a.txt", Buffer.from("another"));
  const { size, mode, mtimeMs } = await stat(join(folder, "a.txt"));
  expect([size, mode & 0o777]).toEqual([3, 0o600]);
  expect(mtimeMs).toBeGreaterThan(1_600_000_000_000);
});

test("whatever is added, the bounds hold and the latest stays", async () => {
  const bounds = { ownBytes: 1_000, allBytes: 1_500, files: 8, lookAfterBytes: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 20 }), async (sizes) => {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      const kept = createOutputFolder(root, folder, bounds);
      for (const [n, size] of sizes.entries()) {
        await kept.add(`${n}.txt`, Buffer.alloc(size));
        const at = Date.now() / 1_000 - 3_600 + n;
        await utimes(join(folder, `${n}.txt`), at, at);
      }
      const left = await names();
      const total = (await Promise.all(left.map((name) => stat(join(folder, name))))).reduce(
        (sum, { size }) => sum + size,
        0,
      );
      expect(total).toBeLessThanOrEqual(bounds.ownBytes);
      expect(left.length).toBeLessThanOrEqual(bounds.files);
      expect(left).toContain(`${sizes.length - 1}.txt`);
    }),
    { numRuns: 30 },
  );
});

test("kept outputs beyond their age are removed, whosever they are, also those that an earlier version left beside the folders", async () => {
  const other = join(root, "bob");
  await mkdir(other);
  for (const path of [join(root, "call-1.txt"), join(other, "b.txt"), join(folder, "a.txt"), join(folder, "new.txt")]) {
    await writeFile(path, "x");
    if (!path.endsWith("new.txt")) await utimes(path, 1_000_000_000, 1_000_000_000);
  }
  await createOutputFolder(root, folder).prune();
  expect(await readdir(root, { recursive: true })).toEqual(expect.not.arrayContaining(["call-1.txt", "bob/b.txt"]));
  expect(await names()).toEqual(["new.txt"]);
});

test("the outputs of one owner never push out more of another's than all may have", async () => {
  const other = join(root, "bob");
  await mkdir(other);
  await writeFile(join(other, "b.txt"), Buffer.alloc(900));
  await utimes(join(other, "b.txt"), 1_900_000_000, 1_900_000_000);
  const kept = createOutputFolder(root, folder, { ownBytes: 500, allBytes: 2_000, lookAfterBytes: 0 });
  for (let n = 0; n < 20; n++) await kept.add(`${n}.txt`, Buffer.alloc(200, n));
  expect(await readdir(other)).toEqual(["b.txt"]);
});
