import type { RecallEntry, RecallKind } from "../contract.ts";
import { matchesFilter } from "../filter.ts";
import type { Pool, PoolEntry, PoolLink } from "../rank/pool.ts";
import { REACH } from "../rank/weights.ts";
import type { Conditions, PoolRequest, SearchEngine } from "../search.ts";
import { DATE_CANDIDATES, dateWindow } from "../rank/date-window.ts";
import { cosine } from "../embed/cosine.ts";
import { type Archive, publicEntry, type Stored, within } from "./archive.ts";

/** Entries per wanted one that are gathered before the best of them are chosen. */
const SORTED = 8;

/** Searches the archives of this process; meaning and dates entry by entry, where PostgreSQL has an index. */
export function memoryEngine(archiveOf: (owner: string) => Archive): SearchEngine {
  return {
    async frequencies(owner, kinds, terms) {
      const { counts, postings } = archiveOf(owner);
      const sum = (count: (kind: RecallKind) => number): number => kinds.reduce((all, kind) => all + count(kind), 0);
      const found = terms.map((term) => [term, sum((kind) => postings.get(within(kind, term))?.size ?? 0)] as const);
      return { entries: sum((kind) => counts.get(kind) ?? 0), found: new Map(found) };
    },
    pool: async (request) => poolOf(archiveOf(request.owner), request),
    async load(owner, ids) {
      const { live } = archiveOf(owner);
      return ids.flatMap((id): readonly RecallEntry[] => {
        const stored = live.get(id);
        return stored === undefined ? [] : [publicEntry(stored)];
      });
    },
  };
}

function poolOf(archive: Archive, request: PoolRequest): Pool {
  const words = wordsOf(archive, request);
  // Vectors and dates have no index here: all entries are compared with them.
  const all = request.vector === undefined && request.dates.spans.length === 0 ? [] : [...archive.live.values()];
  const candidates = all.filter((stored) => fits(stored, request));
  const seeds = new Set([
    ...strongest(words, request),
    ...byVector(candidates, request),
    ...byDate(candidates, request),
  ]);
  const members = new Set(seeds);
  const links: PoolLink[] = [];
  for (const stored of seeds) {
    for (const { other, offset } of around(archive, stored)) {
      links.push({ from: stored.entry.id, to: other.entry.id, offset });
      members.add(other);
    }
  }
  const maskOf = createMask(archive, request);
  const entries = Array.from(members, (one) => toPoolEntry(one, words.get(one) ?? 0, maskOf(one), request));
  return { entries, links };
}

/** Every entry that has one of the terms, with the sum of rarity × impact. */
function wordsOf({ postings }: Archive, { terms, kinds }: PoolRequest): ReadonlyMap<Stored, number> {
  const words = new Map<Stored, number>();
  for (const { term, rarity } of terms) {
    for (const kind of kinds) {
      for (const [stored, impact] of postings.get(within(kind, term)) ?? [])
        words.set(stored, (words.get(stored) ?? 0) + rarity * impact);
    }
  }
  return words;
}

/** The best by words that fit, without sorting all: whoever is below the last of the best so far is passed over. */
function strongest(words: ReadonlyMap<Stored, number>, request: PoolRequest): readonly Stored[] {
  const { candidates } = request;
  type Scored = readonly [Stored, number];
  const cut = (list: readonly Scored[]): Scored[] =>
    list.toSorted(([a, mine], [b, other]) => other - mine || b.number - a.number).slice(0, candidates);
  let best: Scored[] = [];
  let least = 0;
  for (const one of words) {
    if (one[1] < least || !fits(one[0], request)) continue;
    best.push(one);
    if (best.length < SORTED * candidates) continue;
    best = cut(best);
    least = (best.at(-1) as Scored)[1];
  }
  return cut(best).map(([stored]) => stored);
}

/** Bit i is set when an entry has term i. */
function createMask({ postings }: Archive, { terms }: PoolRequest): (stored: Stored) => number {
  return (stored) =>
    terms.reduce(
      (mask, { term }, i) => (postings.get(within(stored.kind, term))?.has(stored) === true ? mask | (1 << i) : mask),
      0,
    );
}

function fits({ entry, kind }: Stored, { kinds, filter = {}, since, until }: Conditions): boolean {
  const at = entry.occurredAt ?? entry.createdAt;
  if (!kinds.includes(kind) || (since && at < since) || (until && at >= until)) return false;
  return matchesFilter(entry.metadata, filter);
}

function byVector(candidates: readonly Stored[], { vector, candidates: count }: PoolRequest): readonly Stored[] {
  if (vector === undefined) return [];
  return candidates
    .flatMap((stored) => (stored.vector === undefined ? [] : [{ stored, near: cosine(stored.vector.values, vector) }]))
    .toSorted((a, b) => b.near - a.near || b.stored.number - a.stored.number)
    .slice(0, count)
    .map(({ stored }) => stored);
}

function byDate(candidates: readonly Stored[], { dates }: PoolRequest): readonly Stored[] {
  return dates.spans.flatMap((span) => {
    const { from, to } = dateWindow(span);
    const at = ({ entry }: Stored): Date => entry.occurredAt ?? entry.createdAt;
    return candidates
      .filter((one) => at(one) >= from && at(one) < to)
      .toSorted((a, b) => at(a).getTime() - at(b).getTime() || a.number - b.number)
      .slice(0, DATE_CANDIDATES);
  });
}

function around({ threads }: Archive, stored: Stored): readonly { other: Stored; offset: number }[] {
  const { thread } = stored.entry;
  if (thread === undefined) return [];
  const line = threads.get(within(stored.kind, thread)) as readonly Stored[];
  const at = line.indexOf(stored);
  const found: { other: Stored; offset: number }[] = [];
  for (let offset = -REACH; offset <= REACH; offset++) {
    const other = offset === 0 ? undefined : line[at + offset];
    if (other !== undefined) found.push({ other, offset });
  }
  return found;
}

function toPoolEntry(stored: Stored, words: number, mask: number, request: PoolRequest): PoolEntry {
  const { entry, prepared, vector } = stored;
  return {
    id: entry.id,
    words,
    mask,
    createdAt: entry.createdAt.getTime(),
    speaker: prepared.speaker,
    asks: prepared.asks,
    tellsTime: prepared.tellsTime,
    dates: prepared.dates,
    eligible: fits(stored, request),
    ...(entry.thread !== undefined && { thread: entry.thread }),
    ...(entry.occurredAt !== undefined && { occurredAt: entry.occurredAt.getTime() }),
    ...(vector !== undefined && request.vector !== undefined && { vector: cosine(vector.values, request.vector) }),
  };
}
