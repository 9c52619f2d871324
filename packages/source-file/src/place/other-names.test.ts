import { linkSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findOtherNames } from "./other-names.ts";
import { newToken, tempFileName } from "../save/temp-file.ts";

/** Enough for the look to let others run in between. */
const MANY = 2_500;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ikigai-names-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const tempFile = (): string =>
  tempFileName({
    kind: "old",
    owner: { pid: 1, start: "1", place: "00000000" },
    token: newToken(),
    target: "0".repeat(8),
    before: "0".repeat(16),
    after: "0".repeat(16),
  });

const names = (path: string): ReturnType<typeof findOtherNames> =>
  findOtherNames(root, path, lstatSync(join(root, path)));

test("every other name of a file below the folder is found, and one elsewhere is known to be missing", async () => {
  mkdirSync(join(root, "deep"));
  writeFileSync(join(root, "a"), "text");
  linkSync(join(root, "a"), join(root, "deep/b"));
  expect(await names("a")).toEqual({ names: ["deep/b"], isComplete: true });
  const elsewhere = `${root}-elsewhere`;
  linkSync(join(root, "a"), elsewhere);
  expect(await names("a")).toEqual({ names: ["deep/b"], isComplete: false });
  rmSync(elsewhere);
});

test("the name that a save gives the old file for a moment is no other name of it", async () => {
  writeFileSync(join(root, "a"), "text");
  linkSync(join(root, "a"), join(root, tempFile()));
  expect(await names("a")).toEqual({ names: [], isComplete: true });
});

test("a file that is saved during the look has no hidden names", async () => {
  mkdirSync(join(root, "many"));
  for (let index = 0; index < MANY; index++) writeFileSync(join(root, "many", `${index}`), "");
  writeFileSync(join(root, "a"), "old");
  const aside = join(root, "many", tempFile());
  linkSync(join(root, "a"), aside);
  const look = names("a");
  // The end of a save, between two looks of the other: the new file takes the name, and the old one is gone.
  writeFileSync(join(root, "temp"), "new");
  renameSync(join(root, "temp"), join(root, "a"));
  unlinkSync(aside);
  expect(await look).toEqual({ names: [], isComplete: true });
});

test("a file that is removed during the look has no names left", async () => {
  mkdirSync(join(root, "many"));
  for (let index = 0; index < MANY; index++) writeFileSync(join(root, "many", `${index}`), "");
  writeFileSync(join(root, "a"), "old");
  linkSync(join(root, "a"), join(root, "many/z"));
  const look = names("a");
  unlinkSync(join(root, "many/z"));
  unlinkSync(join(root, "a"));
  expect((await look).isComplete).toBe(true);
});
