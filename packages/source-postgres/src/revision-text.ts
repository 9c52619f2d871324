import { IkigaiError } from "@ikigai/core";

/** The text of a state as its row has it. */
export interface KeptRevision {
  /** The text; or, with `kept_start`, what stood between the ends. `null`: the text is what the asset holds now. */
  readonly content: string | null;
  /** How much of the beginning of the next newer state this one has too, in characters. `null`: `content` is all of it. */
  readonly kept_start: number | null;
  /** How much of the end of the next newer state this one has too. */
  readonly kept_end: number | null;
}

/** Characters from which on a state is kept as what the next newer one has not. */
export const MIN_SHARED_CHARS = 8_192;

/**
 * A text as what is not in the text that replaces it.
 *
 * Contract: a whole text where that would not be half as long; never a half of a surrogate pair.
 */
export function keptRevision(text: string, newer: string): KeptRevision {
  const start = sharedStart(text, newer);
  const end = sharedEnd(text, newer, start);
  return text.length - start - end <= text.length / 2
    ? { content: text.slice(start, text.length - end), kept_start: start, kept_end: end }
    : { content: text, kept_start: null, kept_end: null };
}

/** The text again. Contract: `unavailable`, naming `name`, when the text that it was kept beside is not there. */
export function revisionText(kept: KeptRevision, newer: string | undefined, name: string): string {
  const { content, kept_start, kept_end } = kept;
  if (content !== null && kept_start === null) return content;
  if (content === null || newer === undefined) throw incomplete(name);
  return newer.slice(0, kept_start ?? 0) + content + newer.slice(newer.length - (kept_end ?? 0));
}

function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return isHigh(one.charCodeAt(at - 1)) ? at - 1 : at;
}

function sharedEnd(one: string, other: string, start: number): number {
  const most = Math.min(one.length, other.length) - start;
  let length = 0;
  while (length < most && one.charCodeAt(one.length - length - 1) === other.charCodeAt(other.length - length - 1)) {
    length++;
  }
  return isLow(one.charCodeAt(one.length - length)) ? length - 1 : length;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function incomplete(name: string): IkigaiError {
  return new IkigaiError("unavailable", `The text of ${name} cannot be read: the state after it is missing`, {
    hint: "Nothing was changed. A backup of the store has what is missing here.",
  });
}
