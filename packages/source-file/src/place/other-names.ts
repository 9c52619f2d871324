import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isTempFile } from "../save/temp-file.ts";

/** What else a file is called below a folder. */
export interface OtherNames {
  /** Paths relative to the folder, without the one that was asked for. */
  readonly names: readonly string[];
  /** Whether every name of the file is known. False: it has names elsewhere, or the folder is too large to look through. */
  readonly isComplete: boolean;
}

/** Entries that are looked at. A file with several names is rare, so the look may take its time. */
const MAX_ENTRIES = 100_000;
const ENTRIES_PER_TURN = 2_000;

/** How often a file is looked at again that got or lost a name during the look, as it does while it is saved. */
const LOOKS = 20;

/**
 * Finds the other hard links of a file in a folder, since a change reaches all of them.
 *
 * A save gives the file that it replaces a second name for a moment. Such a name is not listed, and a file that changes
 * its names during the look is looked at again.
 *
 * Contract: follows no links, never throws for a folder that cannot be read, and stops when all names are found.
 */
export async function findOtherNames(root: string, path: string, file: Stats): Promise<OtherNames> {
  let found = await lookForNames(root, path, file);
  let before = file;
  for (let look = 1; look < LOOKS && !found.isComplete; look++) {
    const now = lookAt(`${root}/${path}`);
    if (now === undefined || now.nlink < 2) return { names: [], isComplete: true };
    if (now.ino === before.ino && now.nlink === before.nlink) break;
    before = now;
    found = await lookForNames(root, path, now);
  }
  return found;
}

async function lookForNames(root: string, path: string, file: Stats): Promise<OtherNames> {
  const names: string[] = [];
  const folders = [""];
  let looked = 0;
  let missing = file.nlink - 1;
  for (let folder = folders.shift(); folder !== undefined && missing > 0; folder = folders.shift()) {
    for (const entry of entriesOf(root, folder)) {
      looked++;
      if (looked > MAX_ENTRIES) return { names, isComplete: false };
      if (looked % ENTRIES_PER_TURN === 0) await nextTurn();
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      // What git keeps there is never changed by name, and is most of what a repository holds.
      if (entry.isDirectory()) {
        if (!name.endsWith(".git/objects")) folders.push(name);
      } else if (entry.isFile() && name !== path && isSame(`${root}/${name}`, file)) {
        missing--;
        if (!isTempFile(entry.name)) names.push(name);
      }
    }
  }
  return { names, isComplete: missing <= 0 };
}

function entriesOf(root: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(`${root}/${folder}`, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isSame(path: string, file: Stats): boolean {
  const found = lookAt(path);
  return found?.ino === file.ino && found.dev === file.dev;
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
