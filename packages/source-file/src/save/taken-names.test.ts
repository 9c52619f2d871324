import { mkdirSync, writeFileSync } from "node:fs";
import { minimatch } from "minimatch";
import { expect, test } from "vitest";
import { createContention } from "./contention.ts";
import { currentOwner } from "../lock/owner.ts";
import { createPathLock } from "../lock/path-lock.ts";
import { saveTraces } from "./save-traces.ts";
import { isTempFile, newToken, LEFTOVER_GLOB, tempFileName } from "./temp-file.ts";
import { takenNames } from "./taken-names.ts";
import { createWorkspace } from "../testing/workspace.ts";

test("a file that a save took away lately is named, and so is one that is held now", async () => {
  const { root, locks } = createWorkspace();
  const began = Date.now();
  expect(takenNames(root, began, locks)).toEqual([]);
  createContention(locks).met(`${root}/folder/a.md`);
  const lock = createPathLock({ folder: locks, owner: currentOwner() });
  const held = await lock.enter(`${root}/b.md`);
  expect(takenNames(root, began, locks).toSorted()).toEqual([`${root}/b.md`, `${root}/folder/a.md`]);
  held[Symbol.dispose]();
  expect(takenNames(root, began, locks)).toEqual([`${root}/folder/a.md`]);
});

test("only files below the folder are named, each once", async () => {
  const { root, locks } = createWorkspace();
  const path = `${root}/folder/a.md`;
  createContention(locks).met(path);
  createContention(locks).met(`${root}/folder-2/a.md`);
  const lock = createPathLock({ folder: locks, owner: currentOwner() });
  const held = await lock.enter(path);
  expect(takenNames(`${root}/folder`, 0, locks)).toEqual([path]);
  held[Symbol.dispose]();
  expect(takenNames("/", 0, locks)).toHaveLength(2);
});

test("a file that was taken long before is not named, and neither is what cannot be read", () => {
  const { root, locks } = createWorkspace();
  createContention(locks).met(`${root}/a.md`);
  mkdirSync(`${locks}/${"0".repeat(32)}`);
  writeFileSync(`${locks}/unknown`, `${root}/b.md`);
  expect(takenNames(root, Date.now() + 60_000, locks)).toEqual([]);
  expect(takenNames(root, 0, `${locks}/nowhere`)).toEqual([]);
  expect(takenNames(root, 0, "")).toEqual([]);
});

test("a clock of the disk that is a little behind hides nothing", () => {
  const { root, locks } = createWorkspace();
  const contention = createContention(locks);
  contention.met(`${root}/a.md`);
  const began = Date.now();
  const note = saveTraces.taken(root, began);
  expect(note).toEqual([]);
  expect(takenNames(root, began + 500, locks)).toEqual([`${root}/a.md`]);
});

test("the glob of names that exist during a save only fits every such name and no other", () => {
  const common = {
    owner: currentOwner(),
    token: newToken(),
    target: "0".repeat(8),
    before: "1".repeat(16),
    after: "2".repeat(16),
  };
  for (const kind of ["tmp", "old", "rm", "bak", "new"] as const) {
    const name = tempFileName({ kind, ...common });
    expect(isTempFile(name)).toBe(true);
    expect(minimatch(name, LEFTOVER_GLOB, { dot: true })).toBe(true);
  }
  expect(minimatch(".ikigai~notes.md", LEFTOVER_GLOB, { dot: true })).toBe(false);
});
