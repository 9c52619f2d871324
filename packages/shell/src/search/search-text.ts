import type { GrepMatch } from "./grep-results.ts";

/** What a search answers besides what it found. Any of it may be cut. */
interface SearchFacts {
  readonly count?: number;
  readonly left?: number;
  readonly incomplete?: string;
}

/**
 * The matches of a search as grep prints them: `path:line:text`, the lines around one as `path-line-text`.
 *
 * Contract: of a line that is cut it says where in the line the match is; matches with lines around them are parted by `--`; a last line says how many are not shown.
 */
export function grepText(data: unknown): string {
  const { matches = [], ...facts } = data as SearchFacts & { readonly matches?: readonly Partial<GrepMatch>[] };
  const groups = matches.map(groupOf);
  const isAround = matches.some(({ before, after }) => before !== undefined || after !== undefined);
  return ended(groups.join(isAround ? "\n--\n" : "\n"), "match", "matches", matches.length, facts);
}

/** The paths that were found, one on each line. */
export function globText(data: unknown): string {
  const { paths = [], ...facts } = data as SearchFacts & { readonly paths?: readonly string[] };
  return ended(paths.join("\n"), "path", "paths", paths.length, facts);
}

function groupOf(match: Partial<GrepMatch>): string {
  const { path = "", line = 0, text = "", before = [], after = [], column, line_length: length } = match;
  const above = before.map((one, index) => `${path}-${line - before.length + index}-${one}`);
  const below = after.map((one, index) => `${path}-${line + 1 + index}-${one}`);
  const place = column === undefined ? "" : ` [match at column ${column} of ${length}]`;
  return [...above, `${path}:${line}:${text}${place}`, ...below].join("\n");
}

function ended(
  found: string,
  one: string,
  several: string,
  shown: number,
  { count = shown, incomplete }: SearchFacts,
): string {
  if (count === 0) return incomplete === undefined ? `No ${several}.` : `No ${several} so far: ${incomplete}.`;
  const left = count - shown;
  const notes = [
    ...(left > 0 ? [`${left} more ${left === 1 ? one : several} of ${count} not shown`] : []),
    ...(incomplete === undefined ? [] : [`there may be more: ${incomplete}`]),
  ];
  return notes.length === 0 ? found : `${found}\n[${notes.join("; ")}]`;
}
