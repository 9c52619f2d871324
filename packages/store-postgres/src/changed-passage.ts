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
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  if (isHighSurrogate(after.charCodeAt(head - 1))) head--;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  if (isLowSurrogate(after.charCodeAt(after.length - tail))) tail--;
  const text = after.slice(head, after.length - tail);
  return text.length > after.length / 2 ? undefined : [text, head, before.length - tail];
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
