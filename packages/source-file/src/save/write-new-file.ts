import { constants, type Stats } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import type { Directory } from "../place/directory.ts";
import { isErrno } from "../file-errors.ts";
import type { FileOps, OpenFile } from "../file-ops.ts";
import type { Displaced } from "./late-look.ts";
import type { Owner } from "../lock/owner.ts";

/** Context that every step of a save gets. */
export interface SaveContext {
  readonly ops: FileOps;
  readonly owner: Owner;
  /** Receives warnings about files that a person should look at. */
  readonly warn: (message: string) => void;
  /** Takes over what a save or a removal displaced. Default: it is gone at once. */
  readonly displaced?: (file: Displaced) => void;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** What a written file takes its mode and owner from. */
interface Like {
  readonly stat: Stats;
  /** Whether the file may be ours when its owner cannot be kept. Default false: then it is not written. */
  readonly mayLoseOwner?: boolean;
}

/**
 * Writes a complete, synced file `name` in `directory` that has the mode and the owner of `like`.
 *
 * Contract: on failure the file is gone again. An owner that cannot be kept is `permission_denied`.
 */
export async function writeNewFile(
  directory: Directory,
  name: string,
  bytes: Uint8Array,
  like: Like | undefined,
  context: SaveContext,
): Promise<void> {
  const { ops } = context;
  const path = directory.at(name);
  const handle = await ops.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, like === undefined ? 0o666 : 0o600);
  try {
    try {
      await writeAll(handle, bytes, ops);
      if (like !== undefined) await copyAttributes(handle, like, ops);
      await ops.sync(handle);
    } finally {
      await ops.close(handle);
    }
  } catch (error) {
    await discard(path, context);
    throw error;
  }
}

export async function writeAll(handle: OpenFile, bytes: Uint8Array, ops: FileOps): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await ops.write(handle, bytes, done, bytes.length - done, done);
}

/** Removes a file of ours. Contract: never throws; what stays behind is told, and swept at the next start. */
export async function discard(path: string, { ops, warn }: SaveContext): Promise<void> {
  try {
    await ops.unlink(path);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) warn(`could not remove ${path}: ${String(error)}`);
  }
}

async function copyAttributes(handle: OpenFile, { stat, mayLoseOwner = false }: Like, ops: FileOps): Promise<void> {
  const fresh = await ops.stat(handle);
  let mode = stat.mode & 0o7777;
  if (fresh.uid !== stat.uid || fresh.gid !== stat.gid) {
    try {
      await ops.chown(handle, stat.uid, stat.gid);
    } catch (cause) {
      if (!mayLoseOwner) {
        throw new IkigaiError(
          "permission_denied",
          `The file belongs to ${stat.uid}:${stat.gid}, which could not be kept`,
          {
            hint: "Ask the owner of the file to make the change.",
            cause,
          },
        );
      }
      // With another owner a set-user-id bit would make the file run as somebody else.
      mode &= 0o777;
    }
  }
  // The mode is set after chown, which clears the set-user-id bits.
  await ops.chmod(handle, mode);
}
