import { discard, type SaveContext } from "./write-new-file.ts";
import type { Versioned } from "./content.ts";
import { conflict, isErrno } from "../file-errors.ts";
import { ownFileHolds, keepCopy, letGo } from "./keep-copy.ts";
import { newToken, shortVersion, tempFileName, targetKey } from "./temp-file.ts";
import type { Place } from "../place/walk.ts";

/**
 * Removes the file that held `before`.
 *
 * It is taken by its name first and compared then, so that an edit in the last moment is seen and put back. Contract:
 * throws `conflict` when the file changed; on any failure it is there as it was.
 */
export async function removeFile(place: Place, before: Versioned, context: SaveContext): Promise<void> {
  const { ops, owner } = context;
  const { directory, name, resolved } = place;
  const version = shortVersion(before.version);
  const marks = { token: newToken(), target: targetKey(name), before: version, after: shortVersion(undefined) };
  const aside = tempFileName({ kind: "rm", owner, ...marks });
  await directory.verify();
  try {
    ops.renameSync(directory.at(name), directory.at(aside));
  } catch (error) {
    throw isErrno(error, "ENOENT") ? conflict(resolved) : error;
  }
  try {
    await ops.sync(directory.handle);
    if ((await ownFileHolds(directory, aside, before.bytes, context)) === false) throw conflict(resolved);
  } catch (error) {
    await giveBack(place, aside, context);
    throw error;
  }
  await letGo(place, aside, before, context);
}

async function giveBack({ directory, name }: Place, aside: string, context: SaveContext): Promise<void> {
  try {
    context.ops.linkSync(directory.at(aside), directory.at(name));
    await discard(directory.at(aside), context);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
    await keepCopy(directory, aside, name, context);
  }
}
