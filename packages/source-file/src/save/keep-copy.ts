import { discard, type SaveContext } from "./write-new-file.ts";
import { placeHolds, readPlace, type Versioned, versionOf } from "./content.ts";
import type { Directory } from "../place/directory.ts";
import { isErrno } from "../file-errors.ts";
import { OPEN_DISPLACED } from "./late-look.ts";
import { targetKey } from "./temp-file.ts";
import type { Place } from "../place/walk.ts";

/** The bytes of a file of ours. Contract: `undefined` when it is gone. */
export async function readOwnFile(
  directory: Directory,
  name: string,
  { ops }: SaveContext,
): Promise<Buffer | undefined> {
  try {
    const stat = await ops.lstat(directory.at(name));
    return (await readPlace({ directory, name, resolved: name, stat }, ops, Number.MAX_SAFE_INTEGER))?.bytes;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Whether a file of ours holds exactly `bytes`. Contract: `undefined` when it is gone. */
export async function ownFileHolds(
  directory: Directory,
  name: string,
  bytes: Buffer,
  { ops }: SaveContext,
): Promise<boolean | undefined> {
  try {
    const stat = await ops.lstat(directory.at(name));
    return await placeHolds({ directory, name, resolved: name, stat }, bytes, ops);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Lets go of the file of ours that was the one at `place` and held `before`. Contract: never throws. */
export async function letGo(place: Place, aside: string, before: Versioned, context: SaveContext): Promise<void> {
  const { ops, displaced } = context;
  const path = place.directory.at(aside);
  const handle = displaced && (await ops.open(path, OPEN_DISPLACED).catch(() => undefined));
  await discard(path, context);
  if (handle !== undefined) displaced?.({ handle, version: before.version, resolved: place.resolved });
}

/**
 * Turns a file of ours that holds a person's text into a visible one beside `target`.
 *
 * Contract: the text is never overwritten and never deleted; returns the visible name.
 */
export async function keepCopy(
  directory: Directory,
  name: string,
  target: string,
  context: SaveContext,
): Promise<string> {
  const { ops, warn } = context;
  const bytes = await readOwnFile(directory, name, context);
  const mark = versionOf(bytes ?? new Uint8Array()).slice(0, 8);
  for (const copy of [`${target}.conflict-${mark}`, `conflict-${targetKey(target)}-${mark}`]) {
    try {
      await ops.link(directory.at(name), directory.at(copy));
    } catch (error) {
      if (isErrno(error, "ENAMETOOLONG")) continue;
      // The name carries the content's hash, so what is there already holds the same text.
      if (!isErrno(error, "EEXIST")) break;
    }
    await discard(directory.at(name), context);
    warn(`${target} was changed by somebody else at the same moment; their text is in ${copy}`);
    return copy;
  }
  warn(`${target} was changed by somebody else at the same moment; their text is in ${name}`);
  return name;
}
