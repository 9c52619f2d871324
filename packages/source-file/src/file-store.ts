import {
  IkigaiError,
  type RemoveOptions,
  type SourceCallOptions,
  type TextContent,
  type WriteOptions,
} from "@ikigai/core";
import { assertNotAborted } from "./abort.ts";
import { asSourceError, conflict } from "./file-errors.ts";
import type { FileStoreParts } from "./file-store-parts.ts";
import { type KnownText, type Look, lookAtFile, readKnown, readNamed, statOf } from "./look-at-file.ts";
import { absolutePath, type Place, walk } from "./place/walk.ts";
import { removeAt } from "./remove-at.ts";
import { encodeText, type Versioned, versionOf } from "./save/content.ts";
import { createFile } from "./save/create-file.ts";
import { assertExpected, assertWritable } from "./save/file-checks.ts";
import { refreshPlace, settleTarget } from "./save/interrupted-save.ts";
import { replaceFile } from "./save/replace-file.ts";
import { sweepFolder } from "./save/sweep-folder.ts";
import { writeInPlace } from "./save/write-in-place.ts";

/** Text files below a root: read, written and removed by path. */
export interface FileStore {
  read(path: string, options: SourceCallOptions): Promise<TextContent | undefined>;
  write(path: string, text: string, options: WriteOptions): Promise<TextContent>;
  remove(path: string, options: RemoveOptions): Promise<void>;
  /** Looks at a place, and once more behind every save when there is nothing. */
  look<Found>(path: string, look: Look<Found>, signal: AbortSignal | undefined): Promise<Found | undefined>;
}

const OVERWRITE_TRIES = 20;

export function createFileStore(parts: FileStoreParts): FileStore {
  const sweepOnce = createSweep(parts);
  return {
    read: (path, options) =>
      told(`Reading ${path}`, async () => {
        assertNotAborted(options.signal);
        const found = await readNamed(parts, path, options);
        return found && { text: found.bytes.toString("utf8"), version: found.version };
      }),
    write: (path, text, options) =>
      told(`Writing ${path}`, async () => {
        const { expected, signal } = options;
        assertNotAborted(signal);
        const bytes = encodeText(path, text, parts.maxBytes);
        assertWritable({ path, resolved: path }, parts.permission, { before: undefined, after: bytes });
        const after = { bytes, version: versionOf(bytes) };
        await alone(parts, path, options, {
          create: true,
          sweepOnce,
          // Or the folders of a file that is to be there already would be made for it.
          assertMayBegin: (place) => {
            if (typeof expected === "string" && place === undefined) assertExpected(path, undefined, expected);
          },
          work: (place) => putFile(parts, { path, place: required(place, path), after, options }),
        });
        return { text, version: after.version };
      }),
    remove: (path, options) =>
      told(`Removing ${path}`, async () => {
        assertNotAborted(options.signal);
        await alone(parts, path, options, {
          create: false,
          sweepOnce,
          work: (place) => removeAt(parts, path, place, options),
        });
      }),
    look: (path, look, signal) => lookAtFile(parts, path, look, signal),
  };
}

interface Change {
  /** Whether the folders of the file are made. */
  readonly create: boolean;
  readonly sweepOnce: (resolved: string) => Promise<void>;
  /** May refuse the place before anybody waits for the others. */
  readonly assertMayBegin?: (place: Place | undefined) => void;
  readonly work: (place: Place | undefined) => Promise<void>;
}

/** Runs `work` on the place that `path` leads to, alone among all savers. */
async function alone(
  { root, lock, save, guard }: FileStoreParts,
  path: string,
  { signal, actor }: SourceCallOptions,
  { create, sweepOnce, assertMayBegin, work }: Change,
): Promise<void> {
  const resolved = await walk(root, path, async (place) => {
    guard.check(path, place, actor);
    assertMayBegin?.(place);
    return place?.resolved ?? path;
  });
  await sweepOnce(resolved);
  using held = await lock.enter(absolutePath(root, resolved), signal);
  const act = async (place: Place | undefined): Promise<void> => {
    assertNotAborted(signal);
    guard.check(path, place, actor);
    if (held.interrupted && place !== undefined) await settleTarget(place, save);
    return work(place);
  };
  await walk(root, path, act, { create, mayMake: (folder) => guard.checkFolder(path, folder, actor) });
}

/** A power cut forgets the locks, so the first change in a folder looks for what was left there. */
function createSweep({ root, lock, save }: FileStoreParts): (resolved: string) => Promise<void> {
  const swept = new Set<string>();
  return async (resolved) => {
    const folder = resolved.slice(0, Math.max(0, resolved.lastIndexOf("/")));
    if (swept.has(folder)) return;
    swept.add(folder);
    await sweepFolder(root, folder, lock, save, [resolved]);
  };
}

interface PutRequest {
  /** The path that was named. */
  readonly path: string;
  readonly place: Place;
  readonly after: Versioned;
  readonly options: WriteOptions;
}

/**
 * Writes a text to a place, over whatever is there.
 *
 * Contract: `conflict`, and nothing changes, when a version is expected and another is there. Without one, a file that others
 * change meanwhile is tried again.
 */
async function putFile(parts: FileStoreParts, { path, place, after, options }: PutRequest): Promise<void> {
  const { root, save, contention, guard } = parts;
  const { expected, attributesOf, actor } = options;
  for (let tries = 1; ; tries++) {
    const fresh = await refreshPlace(place, root);
    guard.check(path, fresh, actor);
    const before = await readKnown(parts, fresh);
    const change = { before: before?.bytes, after: after.bytes };
    assertWritable({ path, resolved: fresh.resolved }, parts.permission, change);
    try {
      assertExpected(path, before?.version, expected);
      if (before !== undefined) await overExisting(parts, fresh, before, after);
      else if (!(await createFile(fresh, after, save, await statOf(parts, attributesOf))))
        throw conflict(path, "it exists by now");
      contention.wrote(absolutePath(root, fresh.resolved), after.version);
      return;
    } catch (error) {
      if (!IkigaiError.is(error, "conflict")) throw error;
      if (expected !== null) contention.met(absolutePath(root, fresh.resolved));
      if (expected !== undefined || tries === OVERWRITE_TRIES) throw error;
    }
  }
}

async function overExisting(
  { root, save, contention }: FileStoreParts,
  place: Place,
  before: KnownText,
  after: Versioned,
): Promise<void> {
  if (!(await root.ops.writable(place.directory.at(place.name)))) {
    throw new IkigaiError("permission_denied", `${place.resolved} is write-protected`, {
      hint: "Ask the user to make it writable.",
    });
  }
  const file = absolutePath(root, place.resolved);
  const request = { place, before, after, contended: contention.recent(file), onTaking: () => contention.met(file) };
  await (before.stat.nlink > 1 ? writeInPlace(request, save) : replaceFile(request, save));
}

function required(place: Place | undefined, path: string): Place {
  if (place !== undefined) return place;
  throw new IkigaiError("unavailable", `The folder of ${path} vanished while it was made`, { hint: "Try again." });
}

async function told<Result>(attempted: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asSourceError(error, attempted);
  }
}
