import type { Provenance, RecallEntry, RecallKind, Tombstone } from "../contract.ts";
import { labelOf } from "../entry/label.ts";
import type { PreparedEntry } from "../entry/prepare-entry.ts";

/** One entry with all that was worked out about it. */
export interface Stored {
  readonly entry: RecallEntry;
  readonly prepared: PreparedEntry;
  readonly kind: RecallKind;
  /** Number of the entry, and its place in its thread. */
  readonly number: number;
  readonly sort: number;
  supersededBy?: string;
  erased?: Tombstone;
  vector?: { readonly model: string; readonly values: Float32Array };
}

/** One owner's entries and the indexes over the live ones. */
export interface Archive {
  readonly all: Map<string, Stored>;
  readonly live: Map<string, Stored>;
  /** Live entries by the hash of their content, oldest first. */
  readonly byHash: Map<string, Set<string>>;
  /** Corrected entries by the hash of the content that they had. */
  readonly corrected: Map<string, Set<string>>;
  readonly byAddress: Map<string, string>;
  /** How many live entries there are of each kind. */
  readonly counts: Map<RecallKind, number>;
  /** Entries and impacts by kind and term. */
  readonly postings: Map<string, Map<Stored, number>>;
  /** Entries by kind and thread, in order. */
  readonly threads: Map<string, Stored[]>;
}

export function createArchive(): Archive {
  return {
    all: new Map(),
    live: new Map(),
    byHash: new Map(),
    corrected: new Map(),
    byAddress: new Map(),
    counts: new Map(),
    postings: new Map(),
    threads: new Map(),
  };
}

export function addLive(archive: Archive, stored: Stored): void {
  const { entry, prepared, kind } = stored;
  archive.all.set(entry.id, stored);
  archive.live.set(entry.id, stored);
  archive.counts.set(kind, (archive.counts.get(kind) ?? 0) + 1);
  if (kind === "entry") addTo(archive.byHash, prepared.hash, entry.id);
  if (entry.address !== undefined) archive.byAddress.set(entry.address, entry.id);
  for (const [term, impact] of prepared.postings) {
    const key = within(kind, term);
    const list = archive.postings.get(key);
    if (list === undefined) archive.postings.set(key, new Map([[stored, impact]]));
    else list.set(stored, impact);
  }
  if (entry.thread === undefined) return;
  const key = within(kind, entry.thread);
  const thread = archive.threads.get(key) ?? [];
  archive.threads.set(key, thread);
  const before = thread.findLastIndex((other) => byPlace(other, stored) <= 0);
  thread.splice(before + 1, 0, stored);
}

/** Takes an entry out of every index. What is left is history. */
export function dropLive(archive: Archive, stored: Stored): void {
  const { entry, prepared, kind } = stored;
  archive.live.delete(entry.id);
  archive.counts.set(kind, (archive.counts.get(kind) as number) - 1);
  dropFrom(archive.byHash, prepared.hash, entry.id);
  if (entry.address !== undefined) archive.byAddress.delete(entry.address);
  for (const term of prepared.postings.keys()) {
    const list = archive.postings.get(within(kind, term));
    list?.delete(stored);
    if (list?.size === 0) archive.postings.delete(within(kind, term));
  }
  if (entry.thread === undefined) return;
  const thread = archive.threads.get(within(kind, entry.thread)) as Stored[];
  thread.splice(thread.indexOf(stored), 1);
  if (thread.length === 0) archive.threads.delete(within(kind, entry.thread));
}

export function addTo(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([id]));
  else set.add(id);
}

export function dropFrom(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  set?.delete(id);
  if (set?.size === 0) sets.delete(key);
}

export function within(kind: RecallKind, name: string): string {
  return `${kind}\0${name}`;
}

function byPlace(a: Stored, b: Stored): number {
  return a.sort - b.sort || a.number - b.number;
}

/** What callers see of a stored entry. */
export function publicEntry({ entry, supersededBy, erased }: Stored): RecallEntry {
  if (erased !== undefined) {
    const { id, kind, createdAt, supersedes } = entry;
    const provenance: Provenance = {};
    const links = {
      ...(supersedes !== undefined && { supersedes }),
      ...(supersededBy !== undefined && { supersededBy }),
    };
    return { id, kind, createdAt, label: "(erased)", content: "", metadata: {}, provenance, ...links, erased };
  }
  return {
    ...entry,
    metadata: structuredClone(entry.metadata),
    label: entry.label === "" ? labelOf(entry.content) : entry.label,
    ...(supersededBy !== undefined && { supersededBy }),
  };
}
