import { constants } from "node:fs";
import { discard, type SaveContext, writeAll } from "./write-new-file.ts";
import { versionOf } from "./content.ts";
import type { Directory } from "../place/directory.ts";
import { isErrno } from "../file-errors.ts";
import { keepCopy, readOwnFile } from "./keep-copy.ts";
import { ownerState } from "../lock/owner.ts";
import { parseTempFile, shortVersion, type TempFile, tempFileName, targetKey } from "./temp-file.ts";

/** A file of ours that nobody will clean up any more, and the target it belongs to. */
export interface Abandoned {
  readonly name: string;
  readonly tempFile: TempFile;
  /** Absent when the folder has no such name. */
  readonly target: string | undefined;
}

const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
const ELSEWHERE_MS = 24 * 60 * 60 * 1000;

/**
 * Contract: names only files whose owner is dead, or cannot be asked and has been silent for a day. `also` are names
 * of targets that may be missing from the folder.
 */
export async function findAbandoned(
  directory: Directory,
  { ops }: SaveContext,
  also: readonly string[] = [],
): Promise<Abandoned[]> {
  const names = [...(await ops.readdir(directory.at("."))).map(({ name }) => name), ...also];
  const found: Abandoned[] = [];
  for (const name of new Set(names)) {
    const tempFile = parseTempFile(name);
    if (tempFile === undefined) continue;
    const state = ownerState(tempFile.owner);
    if (state === "alive") continue;
    if (state === "elsewhere" && (await ageOf(directory.at(name), ops)) < ELSEWHERE_MS) continue;
    found.push({ name, tempFile, target: names.find((other) => targetKey(other) === tempFile.target) });
  }
  return found;
}

/**
 * Ends what a dead process began: the target keeps the old or gets the new bytes, and nothing of ours stays.
 *
 * Contract: what a person wrote is in the target or in a visible copy beside it. Run it while holding the target.
 */
export async function settle(directory: Directory, abandoned: Abandoned, context: SaveContext): Promise<void> {
  const { name, tempFile, target } = abandoned;
  const path = directory.at(name);
  if (tempFile.kind === "tmp" || tempFile.kind === "new") return discard(path, context);
  const bytes = await readOwnFile(directory, name, context);
  if (bytes === undefined) return;
  if (tempFile.kind === "bak") {
    if (target !== undefined) await repairInPlace(directory, target, tempFile, bytes, context);
    return discard(path, context);
  }
  const untouched = shortVersion(versionOf(bytes)) === tempFile.before;
  if (untouched && tempFile.kind === "rm") return discard(path, context);
  if (target === undefined) {
    context.warn(`an interrupted save left ${name}, and the file that it belongs to is unknown`);
    return;
  }
  const now = await readOwnFile(directory, target, context);
  if (now === undefined) {
    await context.ops.link(path, directory.at(target));
    await discard(path, context);
  } else if (untouched) await discard(path, context);
  else if (shortVersion(versionOf(now)) === tempFile.after) await context.ops.rename(path, directory.at(target));
  else await keepCopy(directory, name, target, context);
}

/** Writes the old bytes back when the target is a mixture of new and old, which only our own write can have left. */
async function repairInPlace(
  directory: Directory,
  target: string,
  tempFile: TempFile,
  old: Buffer,
  context: SaveContext,
): Promise<void> {
  const { ops } = context;
  const now = await readOwnFile(directory, target, context);
  const complete = await readOwnFile(directory, tempFileName({ ...tempFile, kind: "new" }), context);
  if (now === undefined || complete === undefined || !isTorn(now, old, complete)) return;
  const handle = await ops.open(directory.at(target), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    await writeAll(handle, old, ops);
    await ops.truncate(handle, old.length);
    await ops.sync(handle);
  } finally {
    await ops.close(handle);
  }
}

/** Whether `now` begins as the new text and goes on as the old one, and is neither. */
export function isTorn(now: Buffer, old: Buffer, complete: Buffer): boolean {
  if (now.equals(old) || now.equals(complete)) return false;
  let same = 0;
  while (same < now.length && same < complete.length && now[same] === complete[same]) same++;
  return now.subarray(same).equals(old.subarray(same));
}

async function ageOf(path: string, ops: SaveContext["ops"]): Promise<number> {
  try {
    return Date.now() - (await ops.lstat(path)).mtimeMs;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return 0;
    throw error;
  }
}
