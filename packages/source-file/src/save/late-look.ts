import { constants } from "node:fs";
import type { SaveContext } from "./write-new-file.ts";
import { readAll, versionInside, versionOf } from "./content.ts";
import { createFile } from "./create-file.ts";
import type { Root } from "../place/directory.ts";
import type { OpenFile } from "../file-ops.ts";
import { walk } from "../place/walk.ts";

/** A file that lost its name to a save or a removal, held open. */
export interface Displaced {
  readonly handle: OpenFile;
  /** Version of the file when it was displaced. */
  readonly version: string;
  /** The path that it had, links resolved. */
  readonly resolved: string;
}

/**
 * Looks once more at displaced files, a little later: an editor that had one open may write into it only now, and the
 * text would be gone with the file.
 */
export interface LateLook {
  keep(displaced: Displaced): void;
  /** Looks at all that are left, now. */
  finish(): Promise<void>;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
export const OPEN_DISPLACED: number = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
const LATER_MS = 250;
const MOST_OPEN = 64;

/** Contract: what was written late becomes a visible `NAME.conflict-HASH`, and `warn` is told. Never throws. */
export function createLateLook(root: Root, context: SaveContext): LateLook {
  const { ops, warn } = context;
  const held = new Map<Displaced, NodeJS.Timeout>();
  const looking = new Set<Promise<void>>();

  function look(displaced: Displaced): void {
    clearTimeout(held.get(displaced));
    held.delete(displaced);
    const running: Promise<void> = rescue(displaced)
      .catch((error: unknown) => warn(`${displaced.resolved} could not be compared once more: ${String(error)}`))
      .then(() => ops.closeLast(displaced.handle))
      .catch(() => {})
      .finally(() => looking.delete(running));
    looking.add(running);
  }

  async function rescue({ handle, version, resolved }: Displaced): Promise<void> {
    const { size } = await ops.stat(handle);
    if ((await versionInside(handle, ops, size)) === version) return;
    const bytes = await readAll(handle, ops, size, Number.MAX_SAFE_INTEGER, resolved);
    const now = versionOf(bytes);
    const copy = `${resolved}.conflict-${now.slice(0, 8)}`;
    const kept = await walk(root, copy, async (place) => {
      // A name that is taken carries this text's hash, so what is there holds the same text.
      if (place !== undefined) await createFile(place, { bytes, version: now }, context);
      return place !== undefined;
    });
    if (!kept) throw new Error("its folder is gone");
    warn(`${resolved} was changed by somebody else at the same moment; their text is in ${copy}`);
  }

  return {
    keep(displaced) {
      held.set(displaced, setTimeout(look, LATER_MS, displaced).unref());
      const [oldest] = held.keys();
      if (held.size > MOST_OPEN && oldest !== undefined) look(oldest);
    },
    async finish() {
      for (const displaced of held.keys()) look(displaced);
      await Promise.all(looking);
    },
  };
}
