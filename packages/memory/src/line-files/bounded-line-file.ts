import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type AppendOptions, appendRow } from "./line-file.ts";

export interface BoundedFileOptions extends AppendOptions {
  /** Bytes after which the file is set aside and a new one is begun. Default 32 MiB. */
  readonly maxBytes?: number;
  /** Bytes of all files that were set aside; beyond them the oldest goes. Default 256 MiB. */
  readonly maxKeptBytes?: number;
  /** Called when a file was set aside, so that its rows can be taken into the store. Must not throw. */
  readonly onFull?: () => void;
  /** Called with the number of bytes of rows that were removed before any store took them in. Must not throw. */
  readonly onDropped?: (bytes: number) => void;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes that files which were set aside have in all, unless somebody says otherwise. */
export const MAX_KEPT_BYTES: number = 256 * 1024 * 1024;
const SET_ASIDE = ".taken";

/**
 * Adds one row of JSON to the end of a file whose size is bounded.
 *
 * Contract: as `appendRow`; a full file is set aside whole under a name that {@link setAsideFiles} lists, and of those the
 * oldest are removed once all of them are more than `maxKeptBytes`, never the latest one.
 */
export async function appendBounded(path: string, row: object, options: BoundedFileOptions = {}): Promise<void> {
  await keepBounded(path, await appendRow(path, row, options), options);
}

/**
 * Sets a file aside that has become too large, and removes the oldest of those.
 *
 * Contract: as {@link appendBounded}; `beforeRemoval` is awaited for each file that goes.
 */
export async function keepBounded(
  path: string,
  size: number,
  options: BoundedFileOptions,
  beforeRemoval: (file: string) => Promise<void> = async () => {},
): Promise<void> {
  const { maxBytes = MAX_BYTES, maxKeptBytes = MAX_KEPT_BYTES, onFull, onDropped } = options;
  if (size <= maxBytes) return;
  await setAsideFile(path);
  const dropped = await dropOldest(path, maxKeptBytes, beforeRemoval);
  if (dropped > 0) onDropped?.(dropped);
  onFull?.();
}

/** Gives a file another name, so that nobody adds to it any more. Contract: no file is no fault. */
export async function setAsideFile(path: string): Promise<void> {
  try {
    await rename(path, `${path}.${randomUUID()}${SET_ASIDE}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Files that were set aside for `path` and are still there. */
export async function setAsideFiles(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(SET_ASIDE))
    .map((name) => join(dirname(path), name));
}

/** The files that were set aside, by when they were last written to. */
export async function oldestFirst(path: string): Promise<readonly { readonly file: string; readonly size: number }[]> {
  const files = await Promise.all(
    (await setAsideFiles(path)).map(async (file) => {
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
      return { file, size, mtimeMs };
    }),
  );
  return files.toSorted((a, b) => a.mtimeMs - b.mtimeMs);
}

/** Gives the bytes of the files that were removed. */
async function dropOldest(
  path: string,
  maxKeptBytes: number,
  beforeRemoval: (file: string) => Promise<void>,
): Promise<number> {
  const files = await oldestFirst(path);
  let left = files.reduce((sum, { size }) => sum + size, 0);
  let dropped = 0;
  // The latest stays whatever its size: an earlier version may have let it grow without a bound.
  for (const { file, size } of files.slice(0, -1)) {
    if (left <= maxKeptBytes) break;
    await beforeRemoval(file);
    await rm(file, { force: true });
    left -= size;
    dropped += size;
  }
  return dropped;
}
