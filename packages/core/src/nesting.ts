/** Levels of lists and objects that a call, or the answer of a foreign tool, may have: more than any text needs, and less than any stack. */
export const MAX_NESTING = 200;

/**
 * Whether lists and objects in `value` stand in one another more than {@link MAX_NESTING} times.
 *
 * Contract: work in proportion to the value, never by recursion; `value` has no cycle, as JSON has none.
 */
export function isNestedTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
