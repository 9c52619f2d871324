import { join } from "node:path";
import type { GlobPattern } from "./glob-pattern.ts";
import type { FoundLine, GrepResults } from "./grep-results.ts";
import { createPlainLines, PLAIN_FLAGS } from "./plain-lines.ts";
import { runRipgrep } from "./ripgrep.ts";
import { openLocal, ownFlags, type SearchGuard } from "./search-place.ts";

/** What to look for. */
export interface GrepQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly context: number;
  readonly glob?: GlobPattern;
  readonly signal: AbortSignal;
}

/** Ignore files count, hidden files are searched, links are not followed, git's own folder is left out. */
export const WALK_FLAGS: readonly string[] = ["--hidden", "--no-require-git", "--no-follow", "--glob", "!.git"];
const SHOWN_CHARS = 400;

export function patternFlags(query: GrepQuery): string[] {
  return ["--json", ...searchFlags(query)];
}

function searchFlags({ pattern, ignoreCase, context }: GrepQuery): string[] {
  return [...(ignoreCase ? ["--ignore-case"] : []), "--context", String(context), "--regexp", pattern];
}

/** Names as a file type: unlike a glob, a type does not bring ignored files back. */
export function nameFlags(glob: GlobPattern | undefined): string[] {
  if (glob?.names === undefined) return [];
  return [...glob.names.flatMap((name) => ["--type-add", `wanted:${name}`]), "--type", "wanted"];
}

/** Searches files below `root`/`path` with ripgrep. Paths in the results are relative to `root`. */
export async function grepFiles(
  root: string,
  path: string,
  query: GrepQuery,
  results: GrepResults,
  guard: SearchGuard = {},
): Promise<void> {
  await using place = await openLocal(root, path, guard);
  const { cwd } = place;
  const { signal } = query;
  if (place.isFolder) {
    const walked = [...WALK_FLAGS, ...ownFlags(place.real, guard.ownFolders ?? []), ...nameFlags(query.glob)];
    const args = [...walked, ...PLAIN_FLAGS, ...searchFlags(query), "--", "."];
    // A file of the host's own may have another name here, or be mounted here.
    const isOwn = (found: string): boolean => guard.isOwn?.(join(place.real, found)) ?? false;
    await runRipgrep({ args, cwd, separator: "\n", onPiece: inFolder(path, query, results, isOwn), signal });
    return;
  }
  const onPiece = (piece: Buffer, isWhole: boolean): void => {
    const kind = kindOf(piece);
    if (kind === "match") results.countMatch();
    if (isWhole && (kind === "match" || kind === "context")) results.add(path, readLine(piece, kind === "match"));
  };
  const input = place.handle.fd;
  await runRipgrep({ args: [...patternFlags(query), "--", "-"], cwd, input, separator: "\n", onPiece, signal });
}

function inFolder(
  path: string,
  query: GrepQuery,
  results: GrepResults,
  isOwn: (found: string) => boolean,
): (piece: Buffer, isWhole: boolean) => void {
  const prefix = path === "" ? "" : `${path}/`;
  let current = path;
  let isWanted = true;
  let isOutside = false;
  let isCut = false;
  const take = createPlainLines({
    onFile(file) {
      const found = file.replace(/^\.\//, "");
      current = `${prefix}${found}`;
      isOutside = (query.glob?.isByName === false && !query.glob.matches(found)) || isOwn(found);
      isWanted = !isOutside && results.wants(current);
    },
    onLine(isMatch, read) {
      if (isOutside) return;
      if (isMatch) results.countMatch();
      if (!isWanted || isCut) return;
      const { line, at, text } = read();
      results.add(current, { line, text: clip(text, at), isMatch });
    },
  });
  return (piece, isWhole) => {
    isCut = !isWhole;
    take(piece);
  };
}

interface RipgrepMessage {
  readonly data: {
    readonly path: RipgrepText;
    readonly lines: RipgrepText;
    readonly line_number: number;
    readonly submatches: readonly { readonly start: number }[];
  };
}

/** What is not UTF-8 comes in base64. */
type RipgrepText = { readonly text: string } | { readonly bytes: string };

export function kindOf(piece: Buffer): string {
  return /^\{"type":"(\w+)"/.exec(piece.toString("latin1", 0, 24))?.[1] ?? "other";
}

/** A line of ripgrep's report. */
export function readLine(piece: Buffer, isMatch: boolean): FoundLine {
  const { lines, line_number: line, submatches } = (JSON.parse(piece.toString()) as RipgrepMessage).data;
  const text = textOf(lines).replace(/\r?\n$/, "");
  return { line, text: clip(text, submatches[0]?.start ?? 0), isMatch };
}

function textOf(value: RipgrepText): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString();
}

/** A part of a long line around where the match begins. */
function clip(text: string, at: number): string {
  if (text.length <= SHOWN_CHARS) return text;
  const from = Math.max(0, Math.min(at - 100, text.length - SHOWN_CHARS));
  const shown = text.slice(from, from + SHOWN_CHARS);
  return `${from > 0 ? "…" : ""}${shown}${from + SHOWN_CHARS < text.length ? "…" : ""}`.toWellFormed();
}
