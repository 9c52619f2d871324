import { constants, type Stats } from "node:fs";
import { discard, type SaveContext, writeNewFile } from "./write-new-file.ts";
import type { Versioned } from "./content.ts";
import { isErrno } from "../file-errors.ts";
import { newToken, shortVersion, tempFileName, targetKey } from "./temp-file.ts";
import type { Place } from "../place/walk.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Creates the file, complete and durable, or finds that the name is taken. It has the mode of `like` from its first
 * moment, and the owner where the system lets us give it.
 *
 * Contract: false when something is there, which then stays untouched. Nobody ever sees half of the file.
 */
export async function createFile(
  place: Place,
  { bytes, version }: Versioned,
  context: SaveContext,
  like?: Stats,
): Promise<boolean> {
  const { ops, owner } = context;
  const { directory, name } = place;
  const token = newToken();
  const versions = { before: shortVersion(undefined), after: shortVersion(version) };
  const temp = tempFileName({ kind: "tmp", owner, token, target: targetKey(name), ...versions });
  await writeNewFile(directory, temp, bytes, like && { stat: like, mayLoseOwner: true }, context);
  try {
    await directory.verify();
    if (!(await claim(directory.at(temp), directory.at(name), context))) return false;
  } finally {
    await discard(directory.at(temp), context);
  }
  try {
    await ops.sync(directory.handle);
  } catch (error) {
    await discard(directory.at(name), context);
    throw error;
  }
  return true;
}

async function claim(temp: string, target: string, { ops }: SaveContext): Promise<boolean> {
  try {
    await ops.link(temp, target);
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    if (!isErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw error;
  }
  // A disk without hard links: the empty file reserves the name, and the complete one takes its place.
  try {
    await ops.close(await ops.open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666));
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
  await ops.rename(temp, target);
  return true;
}
