import { diffArrays, diffChars } from "diff";
import type { Replacement } from "./replace-text.ts";

// Beyond these a difference is told more coarsely: the time it takes grows with their product.
const MAX_CHANGED_LINES = 400;
const MAX_CHANGED_CHARS = 400;
const MAX_CHARS = 4_000;

/**
 * The replacements that turn `before` into `after`, as small as can be found in a bounded time.
 *
 * Contract: ascending and apart from each other; never between the halves of a surrogate pair; linear in the size of
 * the texts, except for a bounded factor. Two texts that differ everywhere are told as one replacement.
 */
export function textDelta(before: string, after: string): Replacement[] {
  const { start, oldEnd, newEnd } = trimmed(before, after);
  if (start === oldEnd && start === newEnd) return [];
  const oldText = before.slice(start, oldEnd);
  const newText = after.slice(start, newEnd);
  return shifted(lineDelta(oldText, newText), start);
}

function lineDelta(before: string, after: string): Replacement[] {
  const small = before.length <= MAX_CHARS && after.length <= MAX_CHARS;
  if (small) return charDelta(before, after);
  const lines = (text: string): string[] => text.split(/(?<=\n)/);
  const changes = diffArrays(lines(before), lines(after), { maxEditLength: MAX_CHANGED_LINES });
  if (changes === undefined) return [{ start: 0, end: before.length, insert: after }];
  const passages = toReplacements(changes.map(({ value, ...rest }) => ({ ...rest, value: value.join("") })));
  return passages.flatMap(({ start, end, insert }) => {
    const passage = before.slice(start, end);
    const fits = passage.length <= MAX_CHARS && insert.length <= MAX_CHARS;
    return fits ? shifted(charDelta(passage, insert), start) : [{ start, end, insert }];
  });
}

function charDelta(before: string, after: string): Replacement[] {
  const changes = diffChars(before, after, { maxEditLength: MAX_CHANGED_CHARS });
  return changes === undefined ? [{ start: 0, end: before.length, insert: after }] : toReplacements(changes);
}

interface Change {
  readonly value: string;
  readonly added?: boolean;
  readonly removed?: boolean;
}

function toReplacements(changes: readonly Change[]): Replacement[] {
  const found: { start: number; end: number; insert: string }[] = [];
  let at = 0;
  let open: { start: number; end: number; insert: string } | undefined;
  for (const { value, added, removed } of changes) {
    if (added !== true && removed !== true) {
      open = undefined;
      at += value.length;
      continue;
    }
    if (open === undefined) found.push((open = { start: at, end: at, insert: "" }));
    if (added === true) open.insert += value;
    else open.end = at += value.length;
  }
  return found;
}

function shifted(replacements: readonly Replacement[], by: number): Replacement[] {
  return replacements.map(({ start, end, insert }) => ({ start: start + by, end: end + by, insert }));
}

/** Without what both texts begin and end with. */
function trimmed(before: string, after: string): { start: number; oldEnd: number; newEnd: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (isHighSurrogate(before.charCodeAt(start - 1))) start--;
  let tail = 0;
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  ) {
    tail++;
  }
  if (isLowSurrogate(before.charCodeAt(before.length - tail))) tail--;
  return { start, oldEnd: before.length - tail, newEnd: after.length - tail };
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
