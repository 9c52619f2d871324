import { compareCodePoints } from "@ikigai/core";

/** The newest of many paths. */
export interface Newest {
  /** Larger is newer. */
  add(path: string, modified: number): void;
  /** Number of paths that were added. */
  readonly count: number;
  /** The newest ones, newest first; those of one time by path. */
  paths(): string[];
}

/** Contract: keeps a few times `limit` at most, and looks at each path a bounded number of times. */
export function createNewest(limit: number): Newest {
  let kept: { readonly path: string; readonly modified: number }[] = [];
  let floor = Number.NEGATIVE_INFINITY;
  let count = 0;

  function prune(): void {
    kept.sort((a, b) => b.modified - a.modified || compareCodePoints(a.path, b.path));
    kept = kept.slice(0, limit);
    if (kept.length === limit) floor = kept.at(-1)?.modified as number;
  }

  return {
    add(path, modified) {
      count++;
      if (modified < floor) return;
      kept.push({ path, modified });
      if (kept.length >= limit * 4) prune();
    },
    get count() {
      return count;
    },
    paths() {
      prune();
      return kept.map(({ path }) => path);
    },
  };
}
