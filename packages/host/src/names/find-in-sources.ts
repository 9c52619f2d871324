import type { SourceManager } from "@ikigai/core/host";
import { createNameFinder, type NameFinder } from "./find-names.ts";

/** The finders behind `@` and `@@`: files of the workspace, and assets. */
export interface SourceFinders {
  find(asset: boolean, query: string): Promise<readonly string[] | undefined>;
}

const SHOWN = 8;
const FILES = "file";
const ASSETS = "ikigai";
/** A list is made anew when somebody looks and it is older than this, or than some times of what making it took. */
const FRESH_MS = 1_000;
const FRESH_TIMES = 10;

interface Listing {
  readonly finder: NameFinder;
  readonly madeAt: number;
  /** Milliseconds for which it counts as fresh. */
  readonly fresh: number;
}

/**
 * Contract: lists in the background; what `.gitignore` names is left out by the source; stops with `signal`. Files that are
 * made meanwhile are found within moments, also while somebody waits without typing on.
 */
export function findInSources(
  sources: SourceManager,
  signal: AbortSignal,
  onGrow: () => void,
  now: () => number = Date.now,
): SourceFinders {
  const listings = new Map<string, Listing>();
  const listing = new Set<string>();
  const later = new Map<string, NodeJS.Timeout>();

  function list(mount: string): NameFinder {
    const madeAt = now();
    listing.add(mount);
    const isFirst = !listings.has(mount);
    // While there is no list, each name is found as soon as it is there; after that only whole lists are shown.
    const finder = createNameFinder(() => namesIn(sources, mount, signal), isFirst ? onGrow : () => {});
    if (isFirst) listings.set(mount, { finder, madeAt, fresh: FRESH_MS });
    void finder.ready.then(() => {
      listing.delete(mount);
      listings.set(mount, { finder, madeAt, fresh: Math.max(FRESH_MS, FRESH_TIMES * (now() - madeAt)) });
      onGrow();
    });
    return finder;
  }

  /** Makes the list anew, now or when it is no longer fresh. */
  function renew(mount: string, { madeAt, fresh }: Listing): void {
    if (listing.has(mount) || later.has(mount) || signal.aborted) return;
    const wait = madeAt + fresh - now();
    if (wait <= 0) return void list(mount);
    const timer = setTimeout(() => {
      later.delete(mount);
      if (!signal.aborted) list(mount);
    }, wait);
    timer.unref();
    later.set(mount, timer);
  }

  function open(mount: string): NameFinder | undefined {
    if (!sources.status().some((one) => one.mount === mount)) return undefined;
    const known = listings.get(mount);
    if (known === undefined) return list(mount);
    renew(mount, known);
    return known.finder;
  }
  open(FILES);
  signal.addEventListener("abort", () => later.forEach((timer) => clearTimeout(timer)), { once: true });
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
