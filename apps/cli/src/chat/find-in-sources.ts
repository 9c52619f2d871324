import type { SourceManager } from "@ikigai/core";
import { createNameFinder, type NameFinder } from "./screen/find-names.ts";

/** The finders behind `@` and `@@`: files of the workspace, and assets. */
export interface SourceFinders {
  find(asset: boolean, query: string): Promise<readonly string[] | undefined>;
}

const SHOWN = 8;
const FILES = "file";
const ASSETS = "ikigai";
/** Listed again when somebody looks after this time, since files come and go. */
const STALE_MS = 30_000;

/** Contract: lists in the background; what `.gitignore` names is left out by the source; stops with `signal`. */
export function findInSources(
  sources: SourceManager,
  signal: AbortSignal,
  onGrow: () => void,
  now: () => number = Date.now,
): SourceFinders {
  const finders = new Map<string, { readonly finder: NameFinder; readonly at: number }>();

  const open = (mount: string): NameFinder | undefined => {
    if (!sources.status().some((one) => one.mount === mount)) return undefined;
    const known = finders.get(mount);
    if (known !== undefined && now() - known.at < STALE_MS) return known.finder;
    const finder = createNameFinder(() => namesIn(sources, mount, signal), onGrow);
    const entry = { finder, at: now() };
    // The old list serves until the new one is whole.
    if (known === undefined) finders.set(mount, entry);
    else {
      finders.set(mount, { ...known, at: now() });
      void finder.ready.then(() => finders.set(mount, entry));
    }
    return known?.finder ?? finder;
  };
  open(FILES);
  return {
    async find(asset, query) {
      const finder = open(asset ? ASSETS : FILES);
      return finder === undefined ? [] : finder.find(query, SHOWN);
    },
  };
}

async function* namesIn(sources: SourceManager, mount: string, signal: AbortSignal): AsyncIterable<string> {
  const { source } = sources.routePrefix(`${mount}:///`);
  for await (const { path } of source.list("", { signal })) {
    if (signal.aborted) return;
    yield path;
  }
}
