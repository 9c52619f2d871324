import type { Stats } from "node:fs";
import {
  type TextContent,
  IkigaiError,
  type MemoryPermission,
  type RemoveOptions,
  type SourceCallOptions,
  type WriteOptions,
} from "@ikigai/core";
import { assertNotAborted } from "./abort.ts";
import type { SaveContext } from "./save/write-new-file.ts";
import { assertText, encodeText, type FileBytes, readPlace, type Versioned, versionOf } from "./save/content.ts";
import type { Contention } from "./save/contention.ts";
import { createFile } from "./save/create-file.ts";
import type { Root } from "./place/directory.ts";
import { asSourceError, conflict } from "./file-errors.ts";
import type { PathLock } from "./lock/path-lock.ts";
import type { PlaceGuard } from "./place/place-guard.ts";
import { removeFile } from "./save/remove-file.ts";
import { replaceFile } from "./save/replace-file.ts";
import { targetKey } from "./save/temp-file.ts";
import { findAbandoned, settle } from "./save/sweep.ts";
import { sweepFolder } from "./save/sweep-folder.ts";
import { absolutePath, type Place, walk } from "./place/walk.ts";
import { writeInPlace } from "./save/write-in-place.ts";

export interface FileStoreParts {
  readonly root: Root;
  readonly lock: PathLock;
  readonly save: SaveContext;
  readonly contention: Contention;
  readonly maxBytes: number;
  readonly guard: PlaceGuard;
  /** Permission that the rules give a path, without resolving links. */
  readonly permission: (path: string) => MemoryPermission;
}

/** Text files below a root: read, written and removed by path. */
export interface FileStore {
  read(path: string, options: SourceCallOptions): Promise<TextContent | undefined>;
  write(path: string, text: string, options: WriteOptions): Promise<TextContent>;
  remove(path: string, options: RemoveOptions): Promise<void>;
  /** Looks at a place, and once more behind every save when there is nothing. */
  look<Found>(path: string, look: Look<Found>, signal: AbortSignal | undefined): Promise<Found | undefined>;
}

const OVERWRITE_TRIES = 20;
/** Far less than {@link Contention} remembers. */
const LOOK_AGAIN_AFTER_MS = 5_000;
type Known = FileBytes & Versioned;
/** What is wanted of a place. Contract: `undefined` when there is nothing. */
type Look<Found> = (place: Place | undefined) => Promise<Found | undefined>;

export function createFileStore(parts: FileStoreParts): FileStore {
  const { root, lock, save, contention, maxBytes, guard } = parts;
  const swept = new Set<string>();
  const absolute = (path: string): string => absolutePath(root, path);

  async function known(place: Place | undefined): Promise<Known | undefined> {
    const found = place && (await readPlace(place, root.ops, maxBytes));
    if (place === undefined || found === undefined) return undefined;
    const version = versionOf(found.bytes);
    contention.saw(absolute(place.resolved), version);
    assertText(place.resolved, found.bytes);
    return { bytes: found.bytes, stat: found.stat, version };
  }

  /** Runs `work` on the place that `path` leads to, alone among all savers. `look` may refuse it before. */
  async function alone<Result>(
    path: string,
    create: boolean,
    { signal, actor }: SourceCallOptions,
    work: (place: Place | undefined) => Promise<Result>,
    look: (place: Place | undefined) => void = () => {},
  ): Promise<Result> {
    const resolved = await walk(root, path, async (place) => {
      guard.check(path, place, actor);
      look(place);
      return place?.resolved ?? path;
    });
    await sweepOnce(resolved);
    using held = await lock.enter(absolute(resolved), signal);
    const act = async (place: Place | undefined): Promise<Result> => {
      assertNotAborted(signal);
      guard.check(path, place, actor);
      if (held.interrupted && place !== undefined) await settleTarget(place, save);
      return work(place);
    };
    return await walk(root, path, act, { create, mayMake: (folder) => guard.checkFolder(path, folder, actor) });
  }

  /** A power cut forgets the locks, so the first change in a folder looks for what was left there. */
  async function sweepOnce(resolved: string): Promise<void> {
    const folder = resolved.slice(0, Math.max(0, resolved.lastIndexOf("/")));
    if (swept.has(folder)) return;
    swept.add(folder);
    await sweepFolder(root, folder, lock, save, [resolved]);
  }

  async function put(
    place: Place,
    path: string,
    after: Versioned,
    { expected, attributesOf, actor }: WriteOptions,
  ): Promise<void> {
    for (let tries = 1; ; tries++) {
      const fresh = await refresh(place, root);
      guard.check(path, fresh, actor);
      const before = await known(fresh);
      assertWritable(path, fresh.resolved, parts.permission, before?.bytes, after.bytes);
      try {
        assertExpected(path, before?.version, expected);
        if (before !== undefined) await overExisting(fresh, before, after);
        else if (!(await createFile(fresh, after, save, await statOf(attributesOf))))
          throw conflict(path, "it exists by now");
        contention.wrote(absolute(fresh.resolved), after.version);
        return;
      } catch (error) {
        if (!IkigaiError.is(error, "conflict")) throw error;
        if (expected !== null) contention.met(absolute(fresh.resolved));
        if (expected !== undefined || tries === OVERWRITE_TRIES) throw error;
      }
    }
  }

  async function statOf(path: string | undefined): Promise<Stats | undefined> {
    return path === undefined ? undefined : walk(root, path, async (place) => place?.stat);
  }

  async function overExisting(place: Place, before: Known, after: Versioned): Promise<void> {
    if (!(await root.ops.writable(place.directory.at(place.name)))) {
      throw new IkigaiError("permission_denied", `${place.resolved} is write-protected`, {
        hint: "Ask the user to make it writable.",
      });
    }
    const file = absolute(place.resolved);
    const request = { place, before, after, contended: contention.recent(file), onTaking: () => contention.met(file) };
    await (before.stat.nlink > 1 ? writeInPlace(request, save) : replaceFile(request, save));
  }

  return {
    read: (path, options) =>
      told(`Reading ${path}`, async () => {
        assertNotAborted(options.signal);
        const found = await readNamed(path, options);
        return found && { text: found.bytes.toString("utf8"), version: found.version };
      }),
    write: (path, text, options) =>
      told(`Writing ${path}`, async () => {
        const { expected, signal } = options;
        assertNotAborted(signal);
        const bytes = encodeText(path, text, maxBytes);
        assertWritable(path, path, parts.permission, undefined, bytes);
        const after = { bytes, version: versionOf(bytes) };
        await alone(
          path,
          true,
          options,
          (place) => put(required(place, path), path, after, options),
          // Or the folders of a file that is to be there already would be made for it.
          (place) => {
            if (typeof expected === "string" && place === undefined) assertExpected(path, undefined, expected);
          },
        );
        return { text, version: after.version };
      }),
    remove: (path, options) =>
      told(`Removing ${path}`, async () => {
        const { expected, signal, keepsLink = false } = options;
        assertNotAborted(signal);
        await alone(path, false, options, async (place) => {
          const before = await known(place);
          if (place === undefined || before === undefined) throw absent(path);
          assertExpected(path, before.version, expected);
          assertRemovable(path, place.resolved, parts.permission);
          try {
            if (keepsLink) await removeFile(place, before, save);
            else await removeNamed(root, path, place, before, save);
          } catch (error) {
            // It is there again, and whoever saw its name absent meanwhile has to know before this lock is given up.
            contention.met(absolute(place.resolved));
            throw error;
          }
        });
      }),
    look: lookNamed,
  };

  async function readNamed(path: string, { signal, actor }: SourceCallOptions): Promise<Known | undefined> {
    const look = (place: Place | undefined): Promise<Known | undefined> => {
      guard.check(path, place, actor);
      return known(place);
    };
    return lookNamed(path, look, signal);
  }

  /**
   * Looks at what `path` names. A save by taking leaves the name absent for a moment, so a name that is absent where saves
   * met lately is looked for once more while nobody saves: by then a save that hid it may have ended.
   */
  async function lookNamed<Found>(path: string, look: Look<Found>, signal?: AbortSignal): Promise<Found | undefined> {
    for (;;) {
      const began = performance.now();
      let seen: string | undefined;
      const found = await walk(root, path, async (place) => {
        seen = place?.resolved;
        return look(place);
      });
      if (found !== undefined || seen === undefined) return found;
      const file = absolute(seen);
      if (lock.isLocked(file) || contention.recent(file)) return lookAlone(path, file, look, signal);
      // A process that was stopped between the look and the question may have missed the answer.
      if (performance.now() - began < LOOK_AGAIN_AFTER_MS) return undefined;
    }
  }

  /** Looks at a file while nobody saves it, and ends first what a dead process began. */
  async function lookAlone<Found>(
    path: string,
    file: string,
    look: Look<Found>,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined> {
    const settled: Look<Found> = async (place) => {
      if (place !== undefined) await settleTarget(place, save);
      return look(place && (await refresh(place, root)));
    };
    using held = await lock.enter(file, signal);
    return await walk(root, path, held.interrupted ? settled : look);
  }
}

/** Removes what `path` itself names: a link, not the file that it leads to. */
async function removeNamed(
  root: Root,
  path: string,
  place: Place,
  before: Versioned,
  save: SaveContext,
): Promise<void> {
  const link = await walk(root, path, (named) => Promise.resolve(named?.stat?.isSymbolicLink() === true), {
    followLast: false,
  });
  if (!link) return removeFile(place, before, save);
  await walk(
    root,
    path,
    async (named) => {
      if (named === undefined) throw absent(path);
      await root.ops.unlink(named.directory.at(named.name));
      await root.ops.sync(named.directory.handle);
    },
    { followLast: false },
  );
}

async function settleTarget(place: Place, save: SaveContext): Promise<void> {
  for (const abandoned of await findAbandoned(place.directory, save, [place.name])) {
    if (abandoned.tempFile.target === targetKey(place.name)) await settle(place.directory, abandoned, save);
  }
}

async function refresh(place: Place, { ops }: Root): Promise<Place> {
  const stat = await ops.lstat(place.directory.at(place.name)).catch(() => undefined);
  return { ...place, stat };
}

function required(place: Place | undefined, path: string): Place {
  if (place !== undefined) return place;
  throw new IkigaiError("unavailable", `The folder of ${path} vanished while it was made`, { hint: "Try again." });
}

function assertExpected(path: string, present: string | undefined, expected: string | null | undefined): void {
  if (expected === undefined || (expected ?? undefined) === present) return;
  if (expected === null) {
    throw new IkigaiError("conflict", `${path} exists already`, { hint: "Choose another path, or load the file." });
  }
  throw present === undefined ? conflict(path, "the file was removed since it was loaded") : conflict(path);
}

function assertWritable(
  path: string,
  resolved: string,
  permission: (path: string) => MemoryPermission,
  before: Buffer | undefined,
  bytes: Buffer,
): void {
  for (const one of new Set([path, resolved])) {
    const level = permission(one);
    const appends = before === undefined || bytes.subarray(0, before.length).equals(before);
    if (level === "read_only" || (level === "append" && !appends)) throw ruledOut(one, level, "be overwritten");
  }
}

function assertRemovable(path: string, resolved: string, permission: (path: string) => MemoryPermission): void {
  for (const one of new Set([path, resolved])) {
    const level = permission(one);
    if (level === "read_only" || level === "append") throw ruledOut(one, level, "be removed");
  }
}

function ruledOut(path: string, level: MemoryPermission, what: string): IkigaiError {
  return new IkigaiError("permission_denied", `${path} is ${level} by the rules of its source and may not ${what}`, {
    hint: "Do not retry; choose another path or ask the user.",
  });
}

function absent(path: string): IkigaiError {
  return new IkigaiError("not_found", `There is no file ${path}`, { hint: "List the folder to see what there is." });
}

async function told<Result>(attempted: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asSourceError(error, attempted);
  }
}
