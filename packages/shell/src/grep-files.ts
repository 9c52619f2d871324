import type { GlobPattern } from "./glob-pattern.ts";
import type { FoundLine, GrepResults } from "./grep-results.ts";
import { runRipgrep } from "./ripgrep.ts";
import { openLocal } from "./search-place.ts";

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

export function patternFlags({ pattern, ignoreCase, context }: GrepQuery): string[] {
  return ["--json", ...(ignoreCase ? ["--ignore-case"] : []), "--context", String(context), "--regexp", pattern];
}

/** Names as a file type: unlike a glob, a type does not bring ignored files back. */
export function nameFlags(glob: GlobPattern | undefined): string[] {
  if (glob?.names === undefined) return [];
  return [...glob.names.flatMap((name) => ["--type-add", `wanted:${name}`]), "--type", "wanted"];
}

/** Searches files below `root`/`path` with ripgrep. Paths in the results are relative to `root`. */
export async function grepFiles(root: string, path: string, query: GrepQuery, results: GrepResults): Promise<void> {
  await using place = await openLocal(root, path);
  const prefix = path === "" ? "" : `${path}/`;
  let current = path;
  let isWanted = true;
  let isOutside = false;
  const onPiece = (piece: Buffer, isWhole: boolean): void => {
    const kind = kindOf(piece);
    if (kind === "begin" && place.isFolder) {
      const found = textOf((JSON.parse(piece.toString()) as RipgrepMessage).data.path).replace(/^\.\//, "");
      current = `${prefix}${found}`;
      isOutside = query.glob?.isByName === false && !query.glob.matches(found);
      isWanted = !isOutside && results.wants(current);
    }
    if (isOutside || (kind !== "match" && kind !== "context")) return;
    if (kind === "match") results.countMatch();
    if (isWanted && isWhole) results.add(current, readLine(piece, kind === "match"));
  };
  await runRipgrep({
    args: place.isFolder
      ? [...WALK_FLAGS, ...nameFlags(query.glob), ...patternFlags(query), "--", "."]
      : [...patternFlags(query), "--", "-"],
    cwd: place.cwd,
    ...(!place.isFolder && { input: place.handle.fd }),
    separator: "\n",
    onPiece,
    signal: query.signal,
  });
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
