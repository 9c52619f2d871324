import { discard, type SaveContext, writeNewFile } from "./write-new-file.ts";
import type { FileBytes, Versioned } from "./content.ts";
import { conflict, isErrno } from "../file-errors.ts";
import { ownFileHolds, keepCopy, letGo } from "./keep-copy.ts";
import { newToken, shortVersion, tempFileName, targetKey } from "./temp-file.ts";
import type { Place } from "../place/walk.ts";

export interface Replacement {
  readonly place: Place;
  /** Bytes and version of the file when the caller compared it. */
  readonly before: FileBytes & Versioned;
  readonly after: Versioned;
  /** Whether somebody else has been seen writing this file lately. */
  readonly contended: boolean;
  /** Called before the name becomes absent for a moment, so that readers know to look again. */
  readonly onTaking: () => void;
}

/**
 * Puts `after` in place of `before`, durably, or throws `conflict` and leaves what a person wrote meanwhile.
 *
 * The new bytes are made safe beside the target; then the old file is kept under a second name, the target exchanged
 * in one step, and the old file compared once more: whoever wrote into it in that moment gets it back. Contract: on any
 * failure the target holds what it held, and nothing of ours is left. See the decision record on lossless saves.
 */
export async function replaceFile(request: Replacement, context: SaveContext): Promise<void> {
  const { place, before, after } = request;
  const { ops } = context;
  const { directory, resolved } = place;
  const [temp, aside] = tempFileNames(request, context);
  await writeNewFile(directory, temp, after.bytes, { stat: before.stat }, context);
  try {
    await directory.verify();
    if (request.contended || !(await exchangeByLink(request, temp, aside, context))) {
      await exchangeByTaking(request, temp, aside, context);
    }
  } finally {
    await discard(directory.at(temp), context);
  }
  try {
    await ops.sync(directory.handle);
    if ((await ownFileHolds(directory, aside, before.bytes, context)) === false) throw conflict(resolved);
  } catch (error) {
    await putBack(request, aside, context);
    throw error;
  }
  await letGo(place, aside, before, context);
}

/**
 * The usual way: the name is never absent. Contract: false when the disk refuses a second name for the old file, and
 * then nothing has happened; throws `conflict` before the exchange when the old file is no longer `before`.
 */
async function exchangeByLink(
  { place, before }: Replacement,
  temp: string,
  aside: string,
  context: SaveContext,
): Promise<boolean> {
  const { ops } = context;
  const { directory, name, resolved } = place;
  try {
    await ops.link(directory.at(name), directory.at(aside));
  } catch (error) {
    if (isErrno(error, "ENOENT")) throw conflict(resolved);
    if (isErrno(error, ...NO_LINKS)) return false;
    throw error;
  }
  try {
    const { ino } = await ops.lstat(directory.at(aside));
    if ((await ownFileHolds(directory, aside, before.bytes, context)) !== true) throw conflict(resolved);
    // Nothing of ours may run between the look and the exchange, so both are synchronous.
    if (ops.lstatSync(directory.at(name)).ino !== ino) throw conflict(resolved);
    ops.renameSync(directory.at(temp), directory.at(name));
  } catch (error) {
    await discard(directory.at(aside), context);
    throw isErrno(error, "ENOENT") ? conflict(resolved) : error;
  }
  return true;
}

/**
 * The way for a file that others are writing: it is taken by its name, whatever it is, so that nobody can slip in
 * between. For a few microseconds the name is absent.
 */
async function exchangeByTaking(
  { place, before, onTaking }: Replacement,
  temp: string,
  aside: string,
  context: SaveContext,
): Promise<void> {
  const { ops } = context;
  const { directory, name, resolved } = place;
  onTaking();
  try {
    ops.renameSync(directory.at(name), directory.at(aside));
  } catch (error) {
    throw isErrno(error, "ENOENT") ? conflict(resolved) : error;
  }
  try {
    linkOrRename(directory.at(temp), directory.at(name), context);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) {
      ops.renameSync(directory.at(aside), directory.at(name));
      throw error;
    }
    const untouched = await ownFileHolds(directory, aside, before.bytes, context);
    if (untouched === false) await keepCopy(directory, aside, name, context);
    await discard(directory.at(aside), context);
    throw conflict(resolved);
  }
}

/** Gives the target back what was displaced, and keeps whatever else turns up. */
async function putBack(request: Replacement, aside: string, context: SaveContext): Promise<void> {
  const { ops } = context;
  const { directory, name } = request.place;
  const [, ours] = tempFileNames(request, context);
  try {
    ops.renameSync(directory.at(name), directory.at(ours));
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
  try {
    linkOrRename(directory.at(aside), directory.at(name), context);
    await discard(directory.at(aside), context);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
    await keepCopy(directory, aside, name, context);
  }
  const untouched = await ownFileHolds(directory, ours, request.after.bytes, context);
  if (untouched === false) await keepCopy(directory, ours, name, context);
  else await discard(directory.at(ours), context);
}

/** Gives `from` the name `to`, never over another file where the disk can promise that. */
function linkOrRename(from: string, to: string, { ops }: SaveContext): void {
  try {
    ops.linkSync(from, to);
  } catch (error) {
    if (!isErrno(error, ...NO_LINKS)) throw error;
    ops.renameSync(from, to);
  }
}

function tempFileNames({ place, before, after }: Replacement, { owner }: SaveContext): readonly [string, string] {
  const common = {
    owner,
    token: newToken(),
    target: targetKey(place.name),
    before: shortVersion(before.version),
    after: shortVersion(after.version),
  };
  return [tempFileName({ kind: "tmp", ...common }), tempFileName({ kind: "old", ...common })];
}

/** Error codes of disks that know no hard links, or do not allow one for somebody else's file. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"] as const;
