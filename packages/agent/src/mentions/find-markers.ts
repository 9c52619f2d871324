/** Part of a text, from `start` up to `end`, in UTF-16 units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** An `@path` or `@@asset` in what the user typed. */
export interface Marker extends TextSpan {
  /** The marker as it was typed, without punctuation behind it. */
  readonly written: string;
  readonly asset: boolean;
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

const MARKER = /(?<![\p{L}\p{N}_@`])(@@?)(?:"([^"\n]+)"(:\d+(?:-\d+)?)?|([^\s"@`,;()[\]{}<>]+))/gu;
const RANGE = /^(.+?):(\d+)(?:-(\d+))?$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*$/gm;
const TICKS = /`+/g;

/** Contract: in order; none inside code, and none that touches a span of `plain`. */
export function findMarkers(text: string, plain: readonly TextSpan[] = []): Marker[] {
  const closed = [...codeSpans(text), ...plain];
  return [...text.matchAll(MARKER)].flatMap((match) => {
    const [whole, ats = "@", quoted, lines = "", bare = ""] = match;
    const span = { start: match.index, end: match.index + whole.length };
    if (closed.some(({ start, end }) => start < span.end && span.start < end)) return [];
    const named = quoted === undefined ? bare.replace(/[.!?:'"]+$/, "") : `${quoted}${lines}`;
    const range = RANGE.exec(named);
    const path = range?.[1] ?? named;
    if (path === "") return [];
    return {
      ...span,
      written: quoted === undefined ? `${ats}${named}` : whole,
      asset: ats === "@@",
      path,
      ...(range !== null && { from: Number(range[2]), to: Number(range[3] ?? range[2]) }),
    };
  });
}

/** Fenced blocks, an open one up to the end, and code between runs of backticks of the same length. */
function codeSpans(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  let open: { readonly start: number; readonly marks: string } | undefined;
  for (const { 0: line, 1: marks = "", index } of text.matchAll(FENCE)) {
    if (open === undefined) {
      // A line such as ```code``` is code of its own, and opens nothing.
      if (!(marks.startsWith("`") && line.trim().slice(marks.length).includes("`"))) open = { start: index, marks };
    } else if (marks.startsWith(open.marks) && line.trim() === marks) {
      spans.push({ start: open.start, end: index + line.length });
      open = undefined;
    }
  }
  if (open !== undefined) spans.push({ start: open.start, end: text.length });
  let from = 0;
  for (const { start, end } of [...spans, { start: text.length, end: text.length }]) {
    spans.push(...inlineSpans(text.slice(from, start), from));
    from = end;
  }
  return spans;
}

function inlineSpans(text: string, offset: number): TextSpan[] {
  const runs = Array.from(text.matchAll(TICKS), ({ 0: run, index }) => ({ length: run.length, index }));
  /** Places of the runs of each length, the last first, so that the next one is found without a search. */
  const places = new Map<number, number[]>();
  for (const { length, index } of runs.toReversed()) {
    const known = places.get(length);
    if (known === undefined) places.set(length, [index]);
    else known.push(index);
  }
  const spans: TextSpan[] = [];
  let until = 0;
  for (const { length, index } of runs) {
    const later = places.get(length) ?? [];
    while ((later.at(-1) ?? Infinity) <= index) later.pop();
    const close = later.at(-1);
    if (index < until || close === undefined) continue;
    until = close + length;
    spans.push({ start: offset + index, end: offset + until });
  }
  return spans;
}
