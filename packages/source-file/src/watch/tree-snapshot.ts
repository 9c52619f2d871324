import { type Dirent, lstatSync, readdirSync } from "node:fs";
import type { TextChange } from "@ikigai/core";
import type { Visibility } from "./visibility.ts";
import { join } from "../place/walk.ts";

/** The regular files of a tree as they were last looked at. */
export interface TreeSnapshot {
  /** Paths that were there at the last look. */
  paths(): readonly string[];
  /** What is there now in a folder and below it, links and hidden paths left out. */
  search(folder: string): { readonly files: readonly string[]; readonly folders: readonly string[] };
  exists(path: string): boolean;
  /** Looks at `path` again. Contract: what changed since the last look, or `undefined`; remembers what it finds. */
  compare(path: string): TextChange | undefined;
}

/** More files than this are not looked at when the watch begins: it would keep others waiting. */
const MAX_FIRST_LOOK = 20_000;

/**
 * Looks at every visible file, at once: what changes afterwards can be told from what changed before.
 *
 * In a tree of more than 20,000 files the rest is told apart by the time of its last change.
 */
export function takeSnapshot(
  realPath: string,
  visibility: Visibility,
  now: number = Date.now(),
  maxFirstLook: number = MAX_FIRST_LOOK,
): TreeSnapshot {
  const marks = new Map<string, string>();
  const first = search(realPath, "", visibility, maxFirstLook);
  const complete = first.files.length <= maxFirstLook;
  for (const path of first.files) {
    const found = look(`${realPath}/${path}`);
    if (found !== undefined) marks.set(path, found.mark);
  }

  return {
    paths: () => [...marks.keys()],
    search: (folder) => search(realPath, folder, visibility, MAX_FIRST_LOOK),
    exists: (path) => look(`${realPath}/${path}`) !== undefined,
    compare(path) {
      const found = look(`${realPath}/${path}`);
      const before = marks.get(path);
      if (found?.mark === before) return undefined;
      if (found === undefined) {
        marks.delete(path);
        return { path, change: "removed" };
      }
      marks.set(path, found.mark);
      if (before !== undefined) return { path, change: "updated" };
      if (!complete && found.changedAt < now) return undefined;
      return { path, change: "created" };
    },
  };
}

/** Contract: stops after one file more than `most`. */
function search(
  realPath: string,
  start: string,
  visibility: Visibility,
  most: number,
): { files: string[]; folders: string[] } {
  const files: string[] = [];
  const folders = [start];
  for (const folder of folders) {
    for (const entry of entriesOf(join(realPath, folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && visibility.shows(path, "directory")) folders.push(path);
      else if (entry.isFile() && visibility.shows(path, "file") && files.push(path) > most) return { files, folders };
    }
  }
  return { files, folders };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function look(path: string): { mark: string; changedAt: number } | undefined {
  try {
    const stat = lstatSync(path, { bigint: true });
    if (!stat.isFile()) return undefined;
    return { mark: `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`, changedAt: Number(stat.ctimeMs) };
  } catch {
    return undefined;
  }
}
