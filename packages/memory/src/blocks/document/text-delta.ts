import { diffArrays } from "diff";
import { commonEnds } from "../../text/common-ends.ts";
import type { Replacement } from "../../text/replace-text.ts";

// Beyond this a difference is told more coarsely: the time it takes grows with its square.
const MAX_CHANGES = 400;
const MAX_PASSAGE = 4_000;

const LINES = /[^\n]*\n|[^\n]+/g;
const WORDS = /[\p{L}\p{N}_]+|\s+|./gsu;

/**
 * The replacements that turn `before` into `after`, as small as can be found in a bounded time: whole lines first, then
 * words in the lines that changed, then what two words begin and end with.
 *
 * Contract: ascending and apart from each other; never between the halves of a surrogate pair; linear in the size of
 * the texts, except for a bounded factor. Two texts that differ everywhere are told as one replacement.
 */
export function textDelta(before: string, after: string): Replacement[] {
  if (before === after) return [];
  const { start, oldEnd, newEnd } = commonLines(before, after);
  const lines = delta(before.slice(start, oldEnd), after.slice(start, newEnd), LINES);
  return within(lines, start).flatMap((line) => {
    if (Math.max(line.end - line.start, line.insert.length) > MAX_PASSAGE) return [trimmed(before, line)];
    const words = delta(before.slice(line.start, line.end), line.insert, WORDS);
    return within(words, line.start).map((word) => trimmed(before, word));
  });
}

function delta(before: string, after: string, parts: RegExp): Replacement[] {
  const split = (text: string): string[] => text.match(parts) ?? [];
  const changes = diffArrays(split(before), split(after), { maxEditLength: MAX_CHANGES });
  if (changes === undefined) return [{ start: 0, end: before.length, insert: after }];
  const found: Replacement[] = [];
  let at = 0;
  let open: { start: number; end: number; insert: string } | undefined;
  for (const { value, added, removed } of changes) {
    const text = value.join("");
    if (!added && !removed) {
      open = undefined;
      at += text.length;
      continue;
    }
    if (open === undefined) found.push((open = { start: at, end: at, insert: "" }));
    if (added) open.insert += text;
    else open.end = at += text.length;
  }
  return found;
}

function within(replacements: readonly Replacement[], offset: number): Replacement[] {
  return replacements.map(({ start, end, insert }) => ({ start: start + offset, end: end + offset, insert }));
}

/** Where the lines begin and end that are not the same in front and behind. */
function commonLines(before: string, after: string): { start: number; oldEnd: number; newEnd: number } {
  const { head, tail } = commonEnds(before, after);
  const start = before.lastIndexOf("\n", head - 1) + 1;
  const line = before.indexOf("\n", before.length - tail);
  const kept = line === -1 ? 0 : before.length - line - 1;
  return { start: head === 0 ? 0 : start, oldEnd: before.length - kept, newEnd: after.length - kept };
}

function trimmed(text: string, { start, end, insert }: Replacement): Replacement {
  const passage = text.slice(start, end);
  const { head, tail } = commonEnds(passage, insert);
  const from = isHigh(passage.charCodeAt(head - 1)) ? head - 1 : head;
  const to = isLow(passage.charCodeAt(passage.length - tail)) ? tail - 1 : tail;
  return { start: start + from, end: end - to, insert: insert.slice(from, insert.length - to) };
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
