import { IkigaiError } from "@ikigai/core";

/** A piece of a text and what stands in its place. Offsets are UTF-16, as in strings. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

export interface FindOptions {
  /** Name of the text in errors. */
  readonly name: string;
  /** Replace every match, not the only one. Default false. */
  readonly all?: boolean;
  /** Hint of the error that several matches were found. */
  readonly severalHint: string;
}

/**
 * Where `old` stands in `text`, and what replaces it there.
 *
 * Contract: in ascending order and apart from each other; at least one. Throws `invalid_input` for an empty or
 * unchanged `old`, `not_found` for no match, `ambiguous` with the number of matches for several, unless `all`.
 *
 * Line endings: a text with CRLF is also matched by an `old` with LF, and a replacement takes over the endings of what
 * it replaces, or of most of the text. An `old` or `new` that contains a carriage return is taken literally.
 */
export function findReplacements(text: string, old: string, replacement: string, options: FindOptions): Replacement[] {
  assertReplaceable(old, replacement);
  const { spans, overlapping } = findMatches(text, old);
  if (spans.length === 0) {
    throw new IkigaiError("not_found", `"old" was not found in ${options.name}`, {
      hint: "Read the text again and copy the passage exactly, with its white space.",
    });
  }
  if (options.all !== true && (spans.length > 1 || overlapping)) {
    const count = Math.max(spans.length, 2);
    throw new IkigaiError("ambiguous", `"old" was found ${count} times in ${options.name}`, {
      hint: options.severalHint,
      details: { matches: count },
    });
  }
  const literal = old.includes("\r");
  return spans.map(({ start, end }) => ({
    start,
    end,
    insert: literal ? replacement : adoptEndings(text, start, end, replacement),
  }));
}

/** Contract: throws `invalid_input` when replacing `old` by `replacement` can mean nothing, whatever the text. */
export function assertReplaceable(old: string, replacement: string): void {
  if (old === "") {
    throw new IkigaiError("invalid_input", '"old" is empty, so it stands nowhere', {
      hint: "Give the passage to replace, or append or write the whole text instead.",
    });
  }
  if (old === replacement) {
    throw new IkigaiError("invalid_input", '"old" and "new" are the same, so nothing would change', {
      hint: "Give a new text that differs.",
    });
  }
}

/** `insert` with the line endings of the span that it replaces, or of most lines of the text. */
export function adoptEndings(text: string, start: number, end: number, insert: string): string {
  if (insert.includes("\r") || !insert.includes("\n") || !usesCrlf(text, start, end)) return insert;
  return insert.replaceAll("\n", "\r\n");
}

export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, insert } of replacements) {
    parts.push(text.slice(from, start), insert);
    from = end;
  }
  return parts.join("") + text.slice(from);
}

type Span = Omit<Replacement, "insert">;

/** CRLF counts as one character where `old` speaks of LF, so that no match ends between its halves. */
function findMatches(text: string, old: string): { readonly spans: Span[]; readonly overlapping: boolean } {
  const loose = old.includes("\n") && !old.includes("\r") && text.includes("\r\n");
  const searched = loose ? text.replaceAll("\r\n", "\n") : text;
  const toOffset = loose ? crlfOffsets(text) : (at: number): number => at;
  const first = searched.indexOf(old);
  const spans: Span[] = [];
  for (let at = first; at !== -1; at = searched.indexOf(old, at + old.length)) {
    spans.push({ start: toOffset(at), end: toOffset(at + old.length) });
  }
  // "aa" stands twice in "aaa", though only one of the two can be replaced.
  return { spans, overlapping: first !== -1 && searched.indexOf(old, first + 1) !== -1 };
}

/** From offsets in the text whose CRLF became LF to offsets in `text`. Asked in ascending order. */
function crlfOffsets(text: string): (at: number) => number {
  let pair = text.indexOf("\r\n");
  let removed = 0;
  return (at) => {
    while (pair !== -1 && pair - removed < at) {
      removed++;
      pair = text.indexOf("\r\n", pair + 2);
    }
    return at + removed;
  };
}

/** Whether the endings of the span are CRLF, or those of most lines when it has none. */
function usesCrlf(text: string, start: number, end: number): boolean {
  const own = text.indexOf("\n", start);
  if (own !== -1 && own < end) return text[own - 1] === "\r";
  const crlf = text.split("\r\n").length - 1;
  return crlf > 0 && crlf * 2 > text.split("\n").length - 1;
}
