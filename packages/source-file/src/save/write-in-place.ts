import { constants } from "node:fs";
import { discard, type SaveContext, writeAll, writeNewFile } from "./write-new-file.ts";
import { closeQuietly } from "../place/directory.ts";
import { conflict } from "../file-errors.ts";
import type { OpenFile } from "../file-ops.ts";
import type { Replacement } from "./replace-file.ts";
import { newToken, shortVersion, type TempFileKind, tempFileName, targetKey } from "./temp-file.ts";

const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Writes into the file itself, so that all its hard links go on being one file.
 *
 * The old and the new bytes lie complete and synced beside it before the first byte changes, so that an interrupted
 * write is repaired at the next start. Contract: on failure the old bytes are back.
 */
export async function writeInPlace(request: Replacement, context: SaveContext): Promise<void> {
  const { place, before, after } = request;
  const { ops, owner } = context;
  const { directory, name, resolved } = place;
  const common = {
    owner,
    token: newToken(),
    target: targetKey(name),
    before: shortVersion(before.version),
    after: shortVersion(after.version),
  };
  const path = (kind: TempFileKind): string => directory.at(tempFileName({ kind, ...common }));
  const safe = async (kind: "bak" | "new", content: Buffer): Promise<void> => {
    await writeNewFile(directory, tempFileName({ kind: "tmp", ...common }), content, { stat: before.stat }, context);
    await ops.rename(path("tmp"), path(kind));
  };
  try {
    await safe("new", after.bytes);
    await safe("bak", before.bytes);
    await ops.sync(directory.handle);
    await directory.verify();
    const handle = await ops.open(directory.at(name), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = await ops.stat(handle);
      const now = Buffer.alloc(before.bytes.length);
      await ops.read(handle, now, 0, now.length, 0);
      const same = stat.ino === before.stat.ino && stat.size === now.length && now.equals(before.bytes);
      if (!same) throw conflict(resolved);
      await overwrite(handle, before.bytes, after.bytes, context, () => {
        // Somebody put another file in place: the new bytes went into one that only the other names still lead to.
        if (ops.lstatSync(directory.at(name)).ino !== stat.ino) throw conflict(resolved);
      });
    } finally {
      await closeQuietly(handle, ops);
    }
  } finally {
    for (const kind of ["tmp", "bak", "new"] as const) await discard(path(kind), context);
  }
}

/** Contract: writes the old bytes back when anything fails, `check` included. */
async function overwrite(
  handle: OpenFile,
  before: Buffer,
  bytes: Buffer,
  { ops, warn }: SaveContext,
  check: () => void,
): Promise<void> {
  try {
    await writeAll(handle, bytes, ops);
    await ops.truncate(handle, bytes.length);
    await ops.sync(handle);
    check();
  } catch (error) {
    await writeAll(handle, before, ops)
      .then(() => ops.truncate(handle, before.length))
      .catch((again: unknown) => warn(`the old bytes could not be written back: ${String(again)}`));
    throw error;
  }
}
