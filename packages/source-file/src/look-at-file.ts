import type { Stats } from "node:fs";
import type { SourceCallOptions } from "@ikigai/core";
import type { FileStoreParts } from "./file-store-parts.ts";
import { absolutePath, type Place, walk } from "./place/walk.ts";
import { assertText, type FileBytes, readPlace, type Versioned, versionOf } from "./save/content.ts";
import { refreshPlace, settleTarget } from "./save/interrupted-save.ts";

/** Text of a file with its version. */
export type KnownText = FileBytes & Versioned;
/** What is wanted of a place. Contract: `undefined` when there is nothing. */
export type Look<Found> = (place: Place | undefined) => Promise<Found | undefined>;

/** Far less than {@link FileStoreParts.contention} remembers. */
const LOOK_AGAIN_AFTER_MS = 5_000;

/** The text at a place. Contract: what was seen is remembered for the saves that meet it. */
export async function readKnown(
  { root, contention, maxBytes }: FileStoreParts,
  place: Place | undefined,
): Promise<KnownText | undefined> {
  const found = place && (await readPlace(place, root.ops, maxBytes));
  if (place === undefined || found === undefined) return undefined;
  const version = versionOf(found.bytes);
  contention.saw(absolutePath(root, place.resolved), version);
  assertText(place.resolved, found.bytes);
  return { bytes: found.bytes, stat: found.stat, version };
}

/** The text that `path` names, for whoever may see it. */
export async function readNamed(
  parts: FileStoreParts,
  path: string,
  { signal, actor }: SourceCallOptions,
): Promise<KnownText | undefined> {
  const look = (place: Place | undefined): Promise<KnownText | undefined> => {
    parts.guard.check(path, place, actor);
    return readKnown(parts, place);
  };
  return lookAtFile(parts, path, look, signal);
}

/** What `lstat` says of a path. Absent: no path was given, or there is nothing. */
export async function statOf({ root }: FileStoreParts, path: string | undefined): Promise<Stats | undefined> {
  return path === undefined ? undefined : walk(root, path, async (place) => place?.stat);
}

/**
 * Looks at what `path` names. A save by taking leaves the name absent for a moment, so a name that is absent where saves
 * met lately is looked for once more while nobody saves: by then a save that hid it may have ended.
 */
export async function lookAtFile<Found>(
  parts: FileStoreParts,
  path: string,
  look: Look<Found>,
  signal?: AbortSignal,
): Promise<Found | undefined> {
  const { root, lock, contention } = parts;
  for (;;) {
    const began = performance.now();
    let seen: string | undefined;
    const found = await walk(root, path, async (place) => {
      seen = place?.resolved;
      return look(place);
    });
    if (found !== undefined || seen === undefined) return found;
    const file = absolutePath(root, seen);
    if (lock.isLocked(file) || contention.recent(file)) return lookAlone(parts, { path, file }, look, signal);
    // A process that was stopped between the look and the question may have missed the answer.
    if (performance.now() - began < LOOK_AGAIN_AFTER_MS) return undefined;
  }
}

/** Looks at a file while nobody saves it, and ends first what a dead process began. */
async function lookAlone<Found>(
  { root, lock, save }: FileStoreParts,
  { path, file }: { readonly path: string; readonly file: string },
  look: Look<Found>,
  signal: AbortSignal | undefined,
): Promise<Found | undefined> {
  const settled: Look<Found> = async (place) => {
    if (place !== undefined) await settleTarget(place, save);
    return look(place && (await refreshPlace(place, root)));
  };
  using held = await lock.enter(file, signal);
  return await walk(root, path, held.interrupted ? settled : look);
}
