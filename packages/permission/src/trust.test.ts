import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { createJsonFile } from "./json-file.ts";
import { readSmallFile } from "./small-file.ts";
import { createTrust, toTrustedFile, type Trust, type TrustedFile, trustFile } from "./trust.ts";

/** The files as they are now; one that is absent counts as empty. */
async function fingerprintFiles(paths: readonly string[]): Promise<TrustedFile[]> {
  const read = async (path: string): Promise<Buffer> => (await readSmallFile(path))?.bytes ?? Buffer.alloc(0);
  return Promise.all(paths.map(async (path) => toTrustedFile(path, await read(path))));
}

let folder: string;
let trust: Trust;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ikigai-trust-"));
  trust = createTrust(
    createJsonFile(join(folder, "state", "trust.json"), trustFile, { folders: [] }),
    () => new Date(0),
  );
});

test("a folder that brings nothing needs no trust", async () => {
  expect(await trust.check("/p", [])).toEqual({ state: "trusted" });
});

test("trust binds to content: a changed, added or removed file asks again and shows what changed", async () => {
  const config = join(folder, "ikigai.config.json");
  const plugin = join(folder, "plugin.js");
  await writeFile(config, "{}");
  expect(await trust.check("/p", await fingerprintFiles([config]))).toEqual({ state: "unknown" });
  await trust.trust("/p", await fingerprintFiles([config]));
  expect(await trust.check("/p", await fingerprintFiles([config]))).toEqual({ state: "trusted" });
  expect(await trust.check("/q", await fingerprintFiles([config]))).toEqual({ state: "unknown" });

  await writeFile(config, '{"sources":[]}');
  await writeFile(plugin, "evil()");
  expect(await trust.check("/p", await fingerprintFiles([plugin, config]))).toEqual({
    state: "changed",
    changes: [
      { path: plugin, change: "added", after: "evil()" },
      { path: config, change: "changed", before: "{}", after: '{"sources":[]}' },
    ],
  });
  await trust.trust("/p", await fingerprintFiles([config, plugin]));
  expect(await trust.check("/p", await fingerprintFiles([config]))).toEqual({
    state: "changed",
    changes: [{ path: plugin, change: "removed", before: "evil()" }],
  });
});

test("the appearance of a file that was absent is a change", async () => {
  const plugin = join(folder, "plugin.js");
  await trust.trust("/p", await fingerprintFiles([plugin]));
  await writeFile(plugin, "x");
  expect(await trust.check("/p", await fingerprintFiles([plugin]))).toMatchObject({ state: "changed" });
  await rm(plugin);
  expect(await trust.check("/p", await fingerprintFiles([plugin]))).toEqual({ state: "trusted" });
});

test("a large file is compared without being kept", async () => {
  const plugin = join(folder, "plugin.js");
  await writeFile(plugin, "x".repeat(100_000));
  await trust.trust("/p", await fingerprintFiles([plugin]));
  await writeFile(plugin, "y".repeat(100_000));
  expect(await trust.check("/p", await fingerprintFiles([plugin]))).toEqual({
    state: "changed",
    changes: [{ path: plugin, change: "changed" }],
  });
  expect(await trust.check("/p", [])).toEqual({ state: "trusted" });
});

test("trust can be taken back", async () => {
  const config = join(folder, "c.json");
  await trust.trust("/p", await fingerprintFiles([config]));
  expect(await trust.revoke("/p")).toBe(true);
  expect(await trust.revoke("/p")).toBe(false);
  expect(await trust.check("/p", await fingerprintFiles([config]))).toEqual({ state: "unknown" });
});
