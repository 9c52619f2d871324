import type { RemoveOptions } from "@ikigai/core";
import type { FileStoreParts } from "./file-store-parts.ts";
import { readKnown } from "./look-at-file.ts";
import type { Root } from "./place/directory.ts";
import { absolutePath, type Place, walk } from "./place/walk.ts";
import type { Versioned } from "./save/content.ts";
import { absent, assertExpected, assertRemovable } from "./save/file-checks.ts";
import { removeFile } from "./save/remove-file.ts";
import type { SaveContext } from "./save/write-new-file.ts";

/** Removes the file that `path` leads to at `place`, or the link that leads there. */
export async function removeAt(
  parts: FileStoreParts,
  path: string,
  place: Place | undefined,
  { expected, keepsLink = false }: RemoveOptions,
): Promise<void> {
  const { root, save, contention } = parts;
  const before = await readKnown(parts, place);
  if (place === undefined || before === undefined) throw absent(path);
  assertExpected(path, before.version, expected);
  assertRemovable({ path, resolved: place.resolved }, parts.permission);
  try {
    if (keepsLink) await removeFile(place, before, save);
    else await removeNamed({ root, path, place, before }, save);
  } catch (error) {
    // It is there again, and whoever saw its name absent meanwhile has to know before this lock is given up.
    contention.met(absolutePath(root, place.resolved));
    throw error;
  }
}

interface RemoveRequest {
  readonly root: Root;
  readonly path: string;
  readonly place: Place;
  readonly before: Versioned;
}

/** Removes what `path` itself names: a link, not the file that it leads to. */
async function removeNamed({ root, path, place, before }: RemoveRequest, save: SaveContext): Promise<void> {
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
