import { createCharFinder, createCodeCloser, createFinder, createPatternFinder } from "./inline-cursor.ts";
import { htmlTagEnd } from "./html.ts";
import { markdownLinkEnd } from "./markdown-link.ts";
import { CHAR, type ScanSink } from "./scan.ts";
import { tagEnd } from "./tags.ts";

const MAX_OPEN_BRACKETS = 1_000;
/** Every character that the scanner does something about. */
const MARK = /[!#$<[\\\]^`]/g;

/** Reads one paragraph, heading or table cell. */
export type InlineScanner = (start: number, end: number) => void;

/**
 * Finds links and tags in stretches of running text, in order, as Obsidian's index does: code, math, HTML tags and
 * HTML comments hide what is in them; `%%` comments do not.
 *
 * Contract: never throws; the stretches given to one scanner must not go backwards; linear in their length together.
 */
export function createInlineScanner(text: string, sink: ScanSink): InlineScanner {
  const nextMark = createPatternFinder(text, MARK);
  const endOfMark = createMarkTaker(text, sink);
  return (start, end) => {
    // Obsidian takes a tag at the start, behind white space, and right behind a link, an escape or code.
    const stretch: Stretch = { start, end, open: [], closeCode: undefined, tagAt: start };
    for (let at = nextMark(start, end); at !== -1; at = nextMark(at, end)) {
      const code = text.charCodeAt(at);
      const after = endOfMark(code, at, stretch);
      if (after !== -1 && code !== CHAR.hash && code !== CHAR.caret) stretch.tagAt = after;
      at = after === -1 ? at + 1 : after;
    }
  };
}

/** One stretch of running text, and what is known of it so far. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  /** Where brackets were opened that nothing closed yet. */
  readonly open: number[];
  closeCode: ReturnType<typeof createCodeCloser> | undefined;
  /** Where a tag may stand besides behind white space. */
  tagAt: number;
}

/** Takes what begins or ends with the mark at a place; answers where it ends, or -1 when it is nothing. */
type MarkTaker = (code: number, at: number, stretch: Stretch) => number;

function createMarkTaker(text: string, sink: ScanSink): MarkTaker {
  const takeWikilink = createWikilinkTaker(text, sink);
  const hiddenEnd = createHiddenEnds(text);
  const isAt = (at: number, code: number): boolean => text.charCodeAt(at) === code;
  return (code, at, stretch) => {
    const { end } = stretch;
    switch (code) {
      case CHAR.backslash:
        return at + 2;
      case CHAR.backtick:
        return codeEnd(text, at, stretch);
      case CHAR.bang:
        return isAt(at + 1, CHAR.bracket) && isAt(at + 2, CHAR.bracket) ? takeWikilink(at + 1, end, true) : -1;
      case CHAR.bracket: {
        const after = isAt(at + 1, CHAR.bracket) ? takeWikilink(at, end, false) : -1;
        if (after === -1 && stretch.open.length < MAX_OPEN_BRACKETS) stretch.open.push(at);
        return after;
      }
      case CHAR.unbracket:
        return takeMarkdownLink(text, sink, at, stretch);
      case CHAR.less:
        return hiddenEnd.html(at, end);
      case CHAR.dollar:
        return hiddenEnd.math(at, end);
      case CHAR.hash:
        return takeTag(text, sink, at, stretch);
      case CHAR.caret:
        // `^[[[Note]]]` is a footnote around a link, not three brackets.
        return isAt(at + 1, CHAR.bracket) ? at + 2 : -1;
      default:
        return -1;
    }
  };
}

/**
 * Takes a wikilink whose `[[` stands at `open`; answers where it ends, or -1. The first `]]` ends it, whatever
 * brackets are inside, and of `[[[` the first two open it: `[[[2020] Plan]]` leads to `[2020] Plan`.
 */
function createWikilinkTaker(text: string, sink: ScanSink): (open: number, end: number, embed: boolean) => number {
  const nextClose = createFinder(text, "]]");
  const nextLine = createFinder(text, "\n");
  let innerFor = -1;
  let inner = -1;

  /** The last `[[` before the `]]` at `close`. */
  function openerOf(close: number): number {
    if (innerFor !== close) {
      innerFor = close;
      inner = text.lastIndexOf("[[", close - 1);
    }
    return inner;
  }

  return (open, end, embed) => {
    const close = nextClose(open + 2, end);
    if (close === -1) return -1;
    const last = openerOf(close);
    if (last !== open && last !== open + 1) return -1;
    const line = nextLine(open, end);
    if (line !== -1 && line < close) return -1;
    const raw = text.slice(open + 2, close);
    if (raw.trim() === "") return -1;
    sink.links.push({ kind: "wikilink", embed, raw, start: embed ? open - 1 : open, end: close + 2 });
    return close + 2;
  };
}

/** Where HTML and math end, which hide what is in them. */
function createHiddenEnds(text: string): Readonly<Record<"html" | "math", (at: number, end: number) => number>> {
  const nextLine = createFinder(text, "\n");
  const nextMath = createFinder(text, "$$");
  const nextComment = createFinder(text, "-->");
  const nextGreater = createFinder(text, ">");
  const nextDollar = createCharFinder(text, "$", (at) => closesMath(text, at));
  return {
    html(at, end) {
      if (text.startsWith("<!--", at)) {
        const close = nextComment(at + 4, end);
        return close === -1 ? -1 : close + 3;
      }
      return nextGreater(at, end) === -1 ? -1 : htmlTagEnd(text, at, end);
    },
    math(at, end) {
      if (text.charCodeAt(at + 1) === CHAR.dollar) {
        const close = nextMath(at + 2, end);
        return close === -1 ? at + 2 : close + 2;
      }
      if (isSpace(text.charCodeAt(at + 1))) return -1;
      const close = nextDollar(at + 2, end);
      if (close === -1) return -1;
      const line = nextLine(at, end);
      return line !== -1 && line < close ? -1 : close + 1;
    },
  };
}

/** Where code ends that begins with the backtick at `at`, or where its backticks do when nothing closes them. */
function codeEnd(text: string, at: number, stretch: Stretch): number {
  const { start, end } = stretch;
  let run = at + 1;
  while (run < end && text.charCodeAt(run) === CHAR.backtick) run += 1;
  stretch.closeCode ??= createCodeCloser(text, start, end);
  const closer = stretch.closeCode(run - at, run);
  return closer === -1 ? run : closer + (run - at);
}

function takeMarkdownLink(text: string, sink: ScanSink, at: number, { start, end, open }: Stretch): number {
  const from = open.pop();
  if (from === undefined || text.charCodeAt(at + 1) !== CHAR.open) return -1;
  const link = markdownLinkEnd(text, at + 1, end);
  if (link === undefined) return -1;
  const embed = from > start && text.charCodeAt(from - 1) === CHAR.bang;
  if (link.destination !== "") {
    sink.links.push({
      kind: "markdown",
      embed,
      raw: link.destination,
      start: embed ? from - 1 : from,
      end: link.end,
    });
  }
  return link.end;
}

function takeTag(text: string, sink: ScanSink, at: number, { end, tagAt }: Stretch): number {
  if (at !== tagAt && !isSpace(text.charCodeAt(at - 1))) return -1;
  const stop = tagEnd(text, at, end);
  if (stop <= at) return -1;
  sink.tags.push({ tag: text.slice(at + 1, stop), start: at, end: stop });
  return stop;
}

function closesMath(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + 1);
  return !isSpace(before) && before !== CHAR.backslash && !(after >= CHAR.zero && after <= CHAR.nine);
}

function isSpace(code: number): boolean {
  return code === CHAR.space || (code >= CHAR.tab && code <= CHAR.carriageReturn) || code === 0xa0 || code === 0x3000;
}
