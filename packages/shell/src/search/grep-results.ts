import { compareCodePoints } from "@ikigai/core";
import type { ClippedLine } from "./clip-line.ts";

/** A line that matched, with the lines around it when they were asked for. */
export interface GrepMatch extends ClippedLine {
  readonly path: string;
  readonly line: number;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** A line as a search reports it. */
export interface FoundLine extends ClippedLine {
  readonly line: number;
  readonly isMatch: boolean;
}

/** Collects lines in any order of files, and keeps the first ones by path. */
export interface GrepResults {
  /** Whether lines of this file can still be among the first. When not, counting them is enough. */
  wants(path: string): boolean;
  countMatch(): void;
  /** Lines of one file come in order. */
  add(path: string, line: FoundLine): void;
  finish(): { readonly matches: readonly GrepMatch[]; readonly count: number; readonly left: number };
}

/** Contract: the same tree gives the same matches, though ripgrep reports files in the order in which it is done. */
export function createGrepResults(limit: number, context: number): GrepResults {
  const files = new Map<string, { readonly lines: FoundLine[]; matches: number }>();
  let count = 0;
  let kept = 0;
  let last: string | undefined;

  /** Forgets the files that come behind the first `limit` matches. */
  function prune(): void {
    let before = 0;
    for (const path of [...files.keys()].toSorted(compareCodePoints)) {
      if (before >= limit) {
        kept -= files.get(path)?.matches as number;
        files.delete(path);
      } else {
        before += files.get(path)?.matches as number;
        last = path;
      }
    }
  }

  return {
    wants: (path) => last === undefined || compareCodePoints(path, last) <= 0,
    countMatch: () => void count++,
    add(path, found) {
      const file = files.get(path) ?? { lines: [], matches: 0 };
      if (file.matches >= limit && (found.isMatch || context === 0)) return;
      files.set(path, file);
      file.lines.push(found);
      if (!found.isMatch) return;
      file.matches++;
      if (++kept > limit * 4) prune();
    },
    finish() {
      const matches = [...files.keys()]
        .toSorted(compareCodePoints)
        .flatMap((path) => matchesOf(path, files.get(path)?.lines ?? [], context))
        .slice(0, limit);
      return { matches, count, left: count - matches.length };
    },
  };
}

function matchesOf(path: string, lines: readonly FoundLine[], context: number): GrepMatch[] {
  const matches = lines.filter(({ isMatch }) => isMatch);
  if (context === 0) return matches.map(({ isMatch: _, ...found }) => ({ path, ...found }));
  const byLine = new Map(lines.map(({ line, text }) => [line, text]));
  const around = (from: number, to: number): string[] => {
    const found: string[] = [];
    for (let line = from; line <= to; line++) if (byLine.has(line)) found.push(byLine.get(line) as string);
    return found;
  };
  return matches.map(({ isMatch: _, ...found }) => ({
    path,
    ...found,
    before: around(found.line - context, found.line - 1),
    after: around(found.line + 1, found.line + context),
  }));
}
