import type { TextEntry } from "@ikigai/core";
import { assertNotAborted } from "../abort.ts";
import { compilePathGlob } from "../glob.ts";
import { join } from "../place/walk.ts";

export interface FoundFiles {
  readonly entries: readonly { readonly path: string; readonly bytes?: number; readonly modified_at?: string }[];
  /** Whether there are more than are shown. */
  readonly more: boolean;
}

export interface FindRequest {
  /** Folder to search. Empty for the root. */
  readonly folder: string;
  /** Relative to the folder. */
  readonly pattern: string;
  readonly recursive: boolean;
  readonly signal: AbortSignal;
}

/** Lists what begins with a prefix; `shallow` stays in one folder and shows folders with a slash at the end. */
export type Lister = (prefix: string, shallow: boolean) => AsyncIterable<TextEntry>;

const MAX_ENTRIES = 1_000;
const MAGIC = /[*?[\]{}()!@+\\]/;

/**
 * The files of a folder that match a glob, at most 1,000.
 *
 * Contract: a pattern without a slash matches names, in the folder itself or, with `recursive`, at any depth; one with
 * a slash matches paths below the folder. Looks only where the pattern's fixed beginning points to.
 */
export async function findFiles(request: FindRequest, list: Lister): Promise<FoundFiles> {
  const { folder, pattern, recursive, signal } = request;
  const matches = compilePathGlob(pattern);
  const byPath = pattern.includes("/");
  const start = [folder, ...fixedBeginning(pattern)].filter((part) => part !== "").reduce(join, "");
  const skip = folder === "" ? 0 : folder.length + 1;
  const entries: FoundFiles["entries"][number][] = [];
  for await (const { path, bytes, modifiedAt } of list(start === "" ? "" : `${start}/`, !recursive && !byPath)) {
    assertNotAborted(signal);
    const below = path.slice(skip).replace(/\/$/, "");
    if (!matches(byPath ? below : below.slice(below.lastIndexOf("/") + 1))) continue;
    if (entries.length === MAX_ENTRIES) return { entries, more: true };
    entries.push({
      path,
      ...(bytes !== undefined && { bytes }),
      ...(modifiedAt !== undefined && { modified_at: modifiedAt.toISOString() }),
    });
  }
  return { entries, more: false };
}

/** The folders at the start of a pattern that it names literally. */
function fixedBeginning(pattern: string): string[] {
  const folders = pattern.split("/").slice(0, -1);
  const magic = folders.findIndex((folder) => MAGIC.test(folder));
  return magic === -1 ? folders : folders.slice(0, magic);
}
