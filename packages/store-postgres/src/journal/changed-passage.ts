import { commonEnds } from "@ikigai/memory";

const WORTH_IT = 4_096;

/**
 * What `after` has in place of `before.slice(from, to)`, when everything around it is the same.
 *
 * Contract: `undefined` for short texts and where more than half would have to be kept; never cuts a surrogate pair.
 */
export function changedPassage(
  before: string,
  after: string,
): readonly [text: string, from: number, to: number] | undefined {
  if (after.length < WORTH_IT) return undefined;
  const common = commonEnds(before, after);
  const head = common.head - (isHighSurrogate(after.charCodeAt(common.head - 1)) ? 1 : 0);
  const tail = common.tail - (isLowSurrogate(after.charCodeAt(after.length - common.tail)) ? 1 : 0);
  const text = after.slice(head, after.length - tail);
  return text.length > after.length / 2 ? undefined : [text, head, before.length - tail];
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
