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
  const nextClose = createFinder(text, "]]");
  const nextLine = createFinder(text, "\n");
  const nextMath = createFinder(text, "$$");
  const nextComment = createFinder(text, "-->");
  const nextGreater = createFinder(text, ">");
  const nextDollar = createCharFinder(text, "$", (at) => closesMath(text, at));
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

  /**
   * Takes a wikilink whose `[[` stands at `open`; answers where it ends, or -1. The first `]]` ends it, whatever
   * brackets are inside, and of `[[[` the first two open it: `[[[2020] Plan]]` leads to `[2020] Plan`.
   */
  function takeWikilink(open: number, end: number, embed: boolean): number {
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
  }

  return (start, end) => {
    let closeCode: ReturnType<typeof createCodeCloser> | undefined;
    const open: number[] = [];
    // Obsidian takes a tag at the start, behind white space, and right behind a link, an escape or code.
    let tagAt = start;
    for (let i = nextMark(start, end); i !== -1; i = nextMark(i, end)) {
      const code = text.charCodeAt(i);
      switch (code) {
        case CHAR.backslash:
          i += 2;
          tagAt = i;
          continue;
        case CHAR.backtick: {
          let run = i + 1;
          while (run < end && text.charCodeAt(run) === CHAR.backtick) run += 1;
          closeCode ??= createCodeCloser(text, start, end);
          const closer = closeCode(run - i, run);
          i = closer === -1 ? run : closer + (run - i);
          tagAt = i;
          continue;
        }
        case CHAR.bang:
          if (text.charCodeAt(i + 1) === CHAR.bracket && text.charCodeAt(i + 2) === CHAR.bracket) {
            const after = takeWikilink(i + 1, end, true);
            if (after !== -1) {
              i = tagAt = after;
              continue;
            }
          }
          break;
        case CHAR.bracket:
          if (text.charCodeAt(i + 1) === CHAR.bracket) {
            const after = takeWikilink(i, end, false);
            if (after !== -1) {
              i = tagAt = after;
              continue;
            }
          }
          if (open.length < MAX_OPEN_BRACKETS) open.push(i);
          break;
        case CHAR.unbracket: {
          const from = open.pop();
          if (from === undefined || text.charCodeAt(i + 1) !== CHAR.open) break;
          const link = markdownLinkEnd(text, i + 1, end);
          if (link === undefined) break;
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
          i = tagAt = link.end;
          continue;
        }
        case CHAR.less: {
          const after = htmlEnd(i, end);
          if (after !== -1) {
            i = tagAt = after;
            continue;
          }
          break;
        }
        case CHAR.dollar: {
          const after = mathEnd(i, end);
          if (after !== -1) {
            i = tagAt = after;
            continue;
          }
          break;
        }
        case CHAR.hash:
          if (i === tagAt || isSpace(text.charCodeAt(i - 1))) {
            const stop = tagEnd(text, i, end);
            if (stop > i) {
              sink.tags.push({ tag: text.slice(i + 1, stop), start: i, end: stop });
              i = stop;
              continue;
            }
          }
          break;
        case CHAR.caret:
          // `^[[[Note]]]` is a footnote around a link, not three brackets.
          if (text.charCodeAt(i + 1) === CHAR.bracket) {
            i += 2;
            continue;
          }
          break;
        default:
          break;
      }
      i += 1;
    }
  };

  function htmlEnd(at: number, end: number): number {
    if (text.startsWith("<!--", at)) {
      const close = nextComment(at + 4, end);
      return close === -1 ? -1 : close + 3;
    }
    return nextGreater(at, end) === -1 ? -1 : htmlTagEnd(text, at, end);
  }

  function mathEnd(at: number, end: number): number {
    if (text.charCodeAt(at + 1) === CHAR.dollar) {
      const close = nextMath(at + 2, end);
      return close === -1 ? at + 2 : close + 2;
    }
    if (isSpace(text.charCodeAt(at + 1))) return -1;
    const close = nextDollar(at + 2, end);
    if (close === -1) return -1;
    const line = nextLine(at, end);
    return line !== -1 && line < close ? -1 : close + 1;
  }
}

function closesMath(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + 1);
  return !isSpace(before) && before !== CHAR.backslash && !(after >= CHAR.zero && after <= CHAR.nine);
}

function isSpace(code: number): boolean {
  return code === CHAR.space || (code >= CHAR.tab && code <= CHAR.carriageReturn) || code === 0xa0 || code === 0x3000;
}
