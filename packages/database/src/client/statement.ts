import type { QueryConfig } from "pg";

/** What can be planned ahead. */
const PLANNED = /^\s*(?:select|insert|update|delete|with)\b/i;
/** Texts are few, because values travel apart. Whoever makes up more gets no names for them. */
const MAX_NAMES = 500;

const names = new Map<string, string>();

/**
 * A statement as `pg` takes it. One with values has a name, so that each connection parses and plans it once.
 *
 * Contract: no name with a list among the values: its length decides which plan is good.
 */
export function statementOf(text: string, values: readonly unknown[] = []): QueryConfig<unknown[]> {
  const name = values.length > 0 && !values.some(Array.isArray) ? nameOf(text) : undefined;
  return { text, values: values as unknown[], ...(name !== undefined && { name }) };
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES || !PLANNED.test(text)) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
