import type { Root } from "../place/directory.ts";
import type { Place } from "../place/walk.ts";
import { findAbandoned, settle } from "./sweep.ts";
import { targetKey } from "./temp-file.ts";
import type { SaveContext } from "./write-new-file.ts";

/** Ends the save of a file that a dead process began. */
export async function settleTarget(place: Place, save: SaveContext): Promise<void> {
  for (const abandoned of await findAbandoned(place.directory, save, [place.name])) {
    if (abandoned.tempFile.target === targetKey(place.name)) await settle(place.directory, abandoned, save);
  }
}

/** The place as it is now. */
export async function refreshPlace(place: Place, { ops }: Root): Promise<Place> {
  const stat = await ops.lstat(place.directory.at(place.name)).catch(() => undefined);
  return { ...place, stat };
}
