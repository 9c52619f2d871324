import type { Stats } from "node:fs";
import { type Actor, formatAddress, IkigaiError } from "@ikigai/core";
import type { Verdict } from "@ikigai/core/host";
import type { Place } from "./walk.ts";

/** Where a path led when a call was judged. */
export type JudgedPlace = NonNullable<Verdict["place"]>;

export interface PlaceGuardOptions {
  readonly mount: string;
  /** The absolute path of a path of the source. */
  readonly absolute: (path: string) => string;
  /** Whether an absolute path is the host's own. */
  readonly isOwn: (absolute: string) => boolean;
}

/** Holds what runs to the place that was judged. */
export interface PlaceGuard {
  /**
   * Contract: `conflict` when `path` leads elsewhere than when the call was judged, `permission_denied` for a place of the
   * host's own that was not judged by itself.
   */
  check(path: string, place: Pick<Place, "resolved" | "stat"> | undefined, actor: Actor | undefined): void;
  /** Does what `check` does, for a folder on the way that is about to be made. */
  checkFolder(path: string, folder: string, actor: Actor | undefined): void;
}

export function createPlaceGuard({ mount, absolute, isOwn }: PlaceGuardOptions): PlaceGuard {
  const judgedPlace = (path: string, actor: Actor | undefined): JudgedPlace | undefined =>
    actor?.places?.get(formatAddress({ mount, path }));
  return {
    check(path, place, actor) {
      if (place === undefined) return;
      const judged = judgedPlace(path, actor);
      if (judged !== undefined && !isThere(judged, place)) throw leadsElsewhere(path, judged.path, place.resolved);
      if (judged === undefined && isOwn(absolute(place.resolved))) throw ownPlace(path);
    },
    checkFolder(path, folder, actor) {
      const judged = judgedPlace(path, actor);
      if (judged !== undefined && !judged.path.startsWith(`${folder}/`))
        throw leadsElsewhere(path, judged.path, folder);
      if (judged === undefined && isOwn(absolute(folder))) throw ownPlace(path);
    },
  };
}

/** Which file a path names, for one that has other names besides. */
export function sharedFile(stat: Stats | undefined): string | undefined {
  return stat?.isFile() === true && stat.nlink > 1 ? `${stat.dev}:${stat.ino}` : undefined;
}

function isThere(judged: JudgedPlace, { resolved, stat }: Pick<Place, "resolved" | "stat">): boolean {
  const file = sharedFile(stat);
  return judged.path === resolved && (file === undefined || file === judged.file);
}

function leadsElsewhere(path: string, judged: string, now: string): IkigaiError {
  const what = judged === now ? "is another file by now" : `leads to ${now} by now`;
  return new IkigaiError("conflict", `${path} was judged as ${judged} and ${what}`, {
    hint: "Call again, so that it is judged where it leads.",
  });
}

function ownPlace(path: string): IkigaiError {
  return new IkigaiError("permission_denied", `${path} is a file of ikigai's own, which is not served`, {
    hint: "Do not retry; ask the user to look at it.",
  });
}
