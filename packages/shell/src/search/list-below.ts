import type { TextEntry, SourceCallOptions } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";

/** An entry of a source, and its path from the place that was asked for. */
export interface EntryBelow {
  readonly entry: TextEntry;
  readonly below: string;
}

/** The entry at a route's path, and those in it as a folder. A source's prefix is literal, so `a` must not give `ab`. */
export async function* entriesBelow(route: Route, options: SourceCallOptions): AsyncGenerator<EntryBelow> {
  const { path } = route.address;
  const folder = path === "" ? "" : `${path}/`;
  for await (const entry of route.source.list(path, options)) {
    if (entry.path === path) yield { entry, below: path.slice(path.lastIndexOf("/") + 1) };
    else if (entry.path.startsWith(folder)) yield { entry, below: entry.path.slice(folder.length) };
  }
}
