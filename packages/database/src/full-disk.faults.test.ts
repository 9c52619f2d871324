import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "./index.ts";

/** A disk of a few megabytes. Contract: `undefined` where none can be made, which needs root. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Before, each attempt left up to 296 files behind, and the call was silent for a minute. */
test("a store that does not fit on its disk is an error that says so, and leaves no file of it", async (context) => {
  const base = await mkdtemp(join(tmpdir(), "ikigai-full-"));
  if (!mountSmallDisk(base)) return context.skip("a small disk cannot be mounted here");
  try {
    const store = join(base, "store");
    const database = openDatabase({ directory: store, cacheDirectory: join(base, "cache") });
    await expect(database.query("select 1")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/could not be (?:opened|made)/),
    });
    await database.close();
    const left = (await readdir(base, { recursive: true })).filter(
      (name) => !/keeper|^store$|^cache$|\.s\.PGSQL/.test(name),
    );
    expect(left).toEqual([]);
  } finally {
    execFileSync("umount", ["-l", base]);
    await rm(base, { recursive: true });
  }
}, 120_000);
