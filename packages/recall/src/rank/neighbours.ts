import type { PoolLink } from "./pool.ts";

export interface Neighbour {
  readonly id: string;
  /** Places after (positive) or before (negative). */
  readonly offset: number;
}

/**
 * Who stands within `reach` places of whom.
 *
 * Links are known only around the best entries; entries linked through others get a place on the same line, so that
 * two neighbours of a hit know each other too.
 */
export function neighboursOf(links: readonly PoolLink[], reach: number): ReadonlyMap<string, readonly Neighbour[]> {
  const edges = new Map<string, Neighbour[]>();
  for (const { from, to, offset } of links) {
    push(edges, from, { id: to, offset });
    push(edges, to, { id: from, offset: -offset });
  }
  const near = new Map<string, readonly Neighbour[]>();
  const seen = new Set<string>();
  for (const start of edges.keys()) {
    if (seen.has(start)) continue;
    const line = placesFrom(start, edges, seen);
    for (let i = 0; i < line.length; i++) near.set((line[i] as Neighbour).id, within(line, i, reach));
  }
  return near;
}

/** Everyone linked with `start`, in the order of the thread. */
function placesFrom(start: string, edges: ReadonlyMap<string, readonly Neighbour[]>, seen: Set<string>): Neighbour[] {
  const line: Neighbour[] = [{ id: start, offset: 0 }];
  seen.add(start);
  for (const { id, offset } of line) {
    for (const next of edges.get(id) as readonly Neighbour[]) {
      if (seen.has(next.id)) continue;
      seen.add(next.id);
      line.push({ id: next.id, offset: offset + next.offset });
    }
  }
  return line.toSorted((a, b) => a.offset - b.offset);
}

function within(line: readonly Neighbour[], i: number, reach: number): readonly Neighbour[] {
  const own = (line[i] as Neighbour).offset;
  const found: Neighbour[] = [];
  for (const step of [-1, 1]) {
    for (let j = i + step; line[j] !== undefined; j += step) {
      const { id, offset } = line[j] as Neighbour;
      if (Math.abs(offset - own) > reach) break;
      found.push({ id, offset: offset - own });
    }
  }
  return found;
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
