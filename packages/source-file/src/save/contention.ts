import { hash } from "node:crypto";
import { readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";

/** Remembers which files somebody else has been writing lately, for this process and the ones after it. */
export interface Contention {
  /** Notes the version that was found or written; another one than the last means that somebody else wrote. */
  saw(path: string, version: string): void;
  wrote(path: string, version: string): void;
  /** A save met another one. */
  met(path: string): void;
  recent(path: string): boolean;
}

const REMEMBER_MS = 60_000;
const MAX_PATHS = 10_000;
const KEEP_PATHS = 9_000;
const SUFFIX = ".busy";

/** Contract: never throws; what cannot be remembered is forgotten, and saves are then a few microseconds less safe. */
export function createContention(folder: string, now: () => number = Date.now): Contention {
  const versions = new Map<string, string>();
  const fileOf = (path: string): string => `${folder}/${hash("sha256", path, "hex").slice(0, 32)}${SUFFIX}`;
  forgetOld(folder, now());

  function met(path: string): void {
    quietly(() => writeFileSync(fileOf(path), path, { mode: 0o600 }));
  }

  return {
    saw(path, version) {
      if ((versions.get(path) ?? version) !== version) met(path);
      remember(versions, path, version);
    },
    wrote: (path, version) => remember(versions, path, version),
    met,
    recent: (path) =>
      now() - (quietly(() => statSync(fileOf(path), { throwIfNoEntry: false })?.mtimeMs) ?? 0) < REMEMBER_MS,
  };
}

/** Whether a file of the lock folder is one of these notes. */
export function isContentionNote(name: string): boolean {
  return name.endsWith(SUFFIX);
}

function forgetOld(folder: string, now: number): void {
  for (const name of quietly(() => readdirSync(folder)) ?? []) {
    if (!isContentionNote(name)) continue;
    quietly(() => {
      if (now - statSync(`${folder}/${name}`).mtimeMs > REMEMBER_MS) unlinkSync(`${folder}/${name}`);
    });
  }
}

/** Keeps the latest; the oldest make room. */
function remember(versions: Map<string, string>, path: string, version: string): void {
  versions.delete(path);
  versions.set(path, version);
  if (versions.size <= MAX_PATHS) return;
  // Many at once: finding the oldest passes over all that were taken out before it.
  for (const oldest of versions.keys()) {
    if (versions.size <= KEEP_PATHS) return;
    versions.delete(oldest);
  }
}

function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
