import { IkigaiError } from "@ikigai/core";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export interface PageLimits {
  readonly items: number;
  /** Characters of JSON. The first item of a page always fits. */
  readonly size: number;
}

/**
 * One page of a list, behind the item that `cursor` names.
 *
 * Contract: following `nextCursor` visits each item once while the list stays as it is; a cursor that names no item is
 * `invalid_input`.
 */
export function pageOf<T>(
  list: readonly T[],
  key: (item: T) => string,
  cursor: string | undefined,
  limits: PageLimits,
): Page<T> {
  const start = cursor === undefined ? 0 : list.findIndex((item) => key(item) === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw new IkigaiError("invalid_input", `The cursor ${JSON.stringify(cursor.slice(0, 80))} belongs to no list`, {
      hint: "List again from the start.",
    });
  }
  const items: T[] = [];
  let left = limits.size;
  for (const item of list.slice(start, start + limits.items)) {
    left -= JSON.stringify(item).length;
    if (left < 0 && items.length > 0) break;
    items.push(item);
  }
  const last = items.at(-1);
  const more = last !== undefined && start + items.length < list.length;
  return { items, ...(more && { nextCursor: key(last) }) };
}
