import { type Dirent, lstatSync, readdirSync } from "node:fs";
import type { BlockChange } from "@ikigai/core";
import type { Visibility } from "./visibility.ts";
import { join } from "./walk.ts";

/** The regular files of a tree as they were last looked at. */
export interface TreeSnapshot {
  paths(): Iterable<string>;
  exists(path: string): boolean;
  /** Looks at `path` again. Contract: what changed since the last look, or `undefined`; remembers what it finds. */
  compare(path: string): BlockChange | undefined;
}

/** More files than this are not looked at when the watch begins: it would keep others waiting. */
const MAX_FIRST_LOOK = 20_000;

/**
 * Looks at every visible file, at once: what changes afterwards can be told from what changed before.
 *
 * In a tree of more than 20,000 files the rest is told apart by the time of its last change.
 */
export function takeSnapshot(realPath: string, visibility: Visibility, now: number = Date.now()): TreeSnapshot {
  const marks = new Map<string, string>();
  const complete = lookAround(realPath, visibility, marks);

  return {
    paths: () => [...marks.keys()],
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

function lookAround(realPath: string, visibility: Visibility, marks: Map<string, string>): boolean {
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(realPath, folder))) {
      const path = join(folder, entry.name);
      const kind = entry.isDirectory() ? "directory" : "file";
      if (!visibility.shows(path, kind)) continue;
      if (kind === "directory") folders.push(path);
      else {
        const found = look(`${realPath}/${path}`);
        if (found !== undefined) marks.set(path, found.mark);
        if (marks.size > MAX_FIRST_LOOK) return false;
      }
    }
  }
  return true;
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
