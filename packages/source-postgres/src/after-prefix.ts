/** The first text, by code points, behind everything that starts with `prefix`; absent when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix);
  for (;;) {
    const last = points.pop();
    if (last === undefined) return undefined;
    const next = (last.codePointAt(0) ?? 0) + 1;
    if (next > 0x10_ff_ff) continue;
    return points.join("") + String.fromCodePoint(next === 0xd8_00 ? 0xe0_00 : next);
  }
}
