import { join } from "node:path";
import type { GlobPattern } from "./glob-pattern.ts";
import type { GrepResults } from "./grep-results.ts";
import { createPlainLines, PLAIN_FLAGS, stretchOfLine } from "./plain-lines.ts";
import { runRipgrep } from "./ripgrep.ts";
import { openLocal, ownFlags, type SearchGuard } from "./search-place.ts";

/** Pattern and options of a search. */
export interface GrepQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly context: number;
  readonly glob?: GlobPattern;
  readonly signal: AbortSignal;
}

/** Ignore files count, hidden files are searched, links are not followed, git's own folder is left out. */
export const WALK_FLAGS: readonly string[] = ["--hidden", "--no-require-git", "--no-follow", "--glob", "!.git"];

/** What to look for, and how to print it so that {@link createPlainLines} reads it. */
export function searchFlags({ pattern, ignoreCase, context }: GrepQuery): string[] {
  return [...PLAIN_FLAGS, ...(ignoreCase ? ["--ignore-case"] : []), "--context", String(context), "--regexp", pattern];
}

/** Names as a file type: unlike a glob, a type does not bring ignored files back. */
export function nameFlags(glob: GlobPattern | undefined): string[] {
  if (glob?.names === undefined) return [];
  return [...glob.names.flatMap((name) => ["--type-add", `wanted:${name}`]), "--type", "wanted"];
}

/** Searches files below `root`/`path` with ripgrep. Paths in the results are relative to `root`; `onFile` is told of each that has a match. */
export async function grepFiles(
  root: string,
  path: string,
  query: GrepQuery,
  results: GrepResults,
  guard: SearchGuard = {},
  onFile: (path: string) => void = () => {},
): Promise<void> {
  await using place = await openLocal(root, path, guard);
  const { cwd } = place;
  const { signal } = query;
  if (place.isFolder) {
    const walked = [...WALK_FLAGS, ...ownFlags(place.real, guard), ...nameFlags(query.glob)];
    const args = [...walked, ...searchFlags(query), "--", "."];
    // A file of the host's own may have another name here, or be mounted here.
    const isOwn = (found: string): boolean => guard.isOwn?.(join(place.real, found)) ?? false;
    const onPiece = inFolder(path, query, results, isOwn, onFile);
    await runRipgrep({ args, cwd, separator: "\n", onPiece, stretchOf: stretchOfLine, signal });
    return;
  }
  const onPiece = createPlainLines({
    onFile: () => {},
    onLine(isMatch, read) {
      if (isMatch) results.countMatch();
      results.add(path, read());
    },
  });
  const input = place.handle.fd;
  // A file that is named is searched though a zero in it makes it look like no text.
  const args = ["--text", ...searchFlags(query), "--", "-"];
  await runRipgrep({ args, cwd, input, separator: "\n", onPiece, stretchOf: stretchOfLine, signal });
}

function inFolder(
  path: string,
  query: GrepQuery,
  results: GrepResults,
  isOwn: (found: string) => boolean,
  onMet: (path: string) => void,
): ReturnType<typeof createPlainLines> {
  const prefix = path === "" ? "" : `${path}/`;
  let current = path;
  let isWanted = true;
  let isOutside = false;
  return createPlainLines({
    onFile(file) {
      const found = file.replace(/^\.\//, "");
      current = `${prefix}${found}`;
      onMet(current);
      isOutside = (query.glob?.isByName === false && !query.glob.matches(found)) || isOwn(found);
      isWanted = !isOutside && results.wants(current);
    },
    onLine(isMatch, read) {
      if (isOutside) return;
      if (isMatch) results.countMatch();
      if (isWanted) results.add(current, read());
    },
  });
}
