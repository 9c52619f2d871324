import type { RecallEntry } from "../contract.ts";
import { matchesFilter } from "../filter.ts";
import type { Pool, PoolEntry, PoolLink } from "../rank/pool.ts";
import { REACH } from "../rank/weights.ts";
import type { Conditions, PoolRequest, SearchEngine } from "../search.ts";
import { DATE_CANDIDATES, dateWindow } from "../rank/date-window.ts";
import { cosine } from "../embed/cosine.ts";
import { type Archive, publicEntry, type Stored, within } from "./archive.ts";

/** Searches the archives of this process, entry by entry where PostgreSQL has an index. */
export function memoryEngine(archiveOf: (owner: string) => Archive): SearchEngine {
  return {
    async frequencies(owner, kinds, terms) {
      const { live, postings } = archiveOf(owner);
      const entries = [...live.values()].filter(({ kind }) => kinds.includes(kind)).length;
      const count = (term: string): number =>
        kinds.reduce((sum, kind) => sum + (postings.get(within(kind, term))?.size ?? 0), 0);
      return { entries, found: new Map(terms.map((term) => [term, count(term)])) };
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
  const scores = scoresOf(archive, request);
  const candidates = [...archive.live.values()].filter((stored) => fits(stored, request));
  const strongest = candidates
    .filter(({ entry }) => scores.has(entry.id))
    .toSorted((a, b) => wordsOf(b) - wordsOf(a) || b.number - a.number)
    .slice(0, request.candidates);
  const similar = byVector(candidates, request);
  const members = new Map([...strongest, ...similar, ...byDate(candidates, request)].map((one) => [one.entry.id, one]));
  const links: PoolLink[] = [];
  const seeds = [...members.values()];
  for (const stored of seeds) {
    for (const { other, offset } of around(archive, stored)) {
      links.push({ from: stored.entry.id, to: other.entry.id, offset });
      members.set(other.entry.id, other);
    }
  }
  return { entries: [...members.values()].map((one) => toPoolEntry(one, scores, request)), links };

  function wordsOf({ entry }: Stored): number {
    return scores.get(entry.id)?.words ?? 0;
  }
}

type Scores = ReadonlyMap<string, { words: number; mask: number }>;

function scoresOf({ postings }: Archive, { terms, kinds }: PoolRequest): Scores {
  const scores = new Map<string, { words: number; mask: number }>();
  for (const [i, { term, rarity }] of terms.entries()) {
    for (const [id, impact] of kinds.flatMap((kind) => [...(postings.get(within(kind, term)) ?? [])])) {
      const { words, mask } = scores.get(id) ?? { words: 0, mask: 0 };
      scores.set(id, { words: words + rarity * impact, mask: mask | (1 << i) });
    }
  }
  return scores;
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

function toPoolEntry(stored: Stored, scores: Scores, request: PoolRequest): PoolEntry {
  const { entry, prepared, vector } = stored;
  const { words, mask } = scores.get(entry.id) ?? { words: 0, mask: 0 };
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
