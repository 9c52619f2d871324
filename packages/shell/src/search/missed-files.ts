import type { Actor } from "@ikigai/core";
import type { Route, SaveTraces } from "@ikigai/core/host";
import { type EntryBelow, entriesBelow } from "./list-below.ts";

/** A walk over files that ripgrep made. */
export interface FileWalk {
  /** What was searched. */
  readonly route: Route;
  /** When it began, in milliseconds since 1970. */
  readonly began: number;
  /** Whether a path of the source, with the route's own path before it, was met. */
  readonly met: (path: string) => boolean;
  readonly actor: Actor;
  readonly signal: AbortSignal;
}

/** A file that a walk missed, with the route to it. */
export interface MissedFile extends EntryBelow {
  readonly route: Route;
}

/**
 * The files that a walk may have missed because they were being saved: the source is asked for each of them, which waits for saves.
 *
 * Contract: none where nobody saves, and then nothing is read but a folder of this user; what is hidden or gone is left out.
 */
export async function* missedFiles(
  { route, began, met, actor, signal }: FileWalk,
  { taken }: SaveTraces,
): AsyncGenerator<MissedFile> {
  const { source, address } = route;
  const root = source.localRoot?.();
  if (root === undefined) return;
  const stored = storedPath(route);
  const real = [root === "/" ? "" : root, ...(stored === "" ? [] : [stored])].join("/");
  for (const path of taken(real, began)) {
    const below = path.slice(real.length + 1);
    const named = address.path === "" ? below : `${address.path}/${below}`;
    if (met(named)) continue;
    const missed = { ...route, address: { ...address, path: named } };
    for await (const { entry } of entriesBelow(missed, { signal, actor }))
      if (entry.path === named) yield { route: missed, entry, below };
  }
}

/** Whether a file that could not be opened may be there all the same, because it was being saved. */
export function mayBeSaved({ source, address }: Route, began: number, { taken }: SaveTraces): boolean {
  const root = source.localRoot?.();
  if (root === undefined) return false;
  const path = `${root === "/" ? "" : root}/${storedPath({ source, address })}`;
  return taken(path.slice(0, path.lastIndexOf("/")) || "/", began).includes(path);
}

function storedPath({ source, address }: Pick<Route, "source" | "address">): string {
  try {
    return source.follow?.(address.path).stored ?? address.path;
  } catch {
    return address.path;
  }
}
