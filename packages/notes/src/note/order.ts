/** Ascending code points; plain comparison of strings goes by UTF-16 units. */
export function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i += 1) {
    const a = one.charCodeAt(i);
    const b = other.charCodeAt(i);
    if (a === b) continue;
    const high = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
    return high(a) === high(b) ? a - b : high(a) ? 1 : -1;
  }
  return one.length - other.length;
}
