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
  /** By content: the live entries that have it, oldest first. */
  readonly byHash: Map<string, Set<string>>;
  readonly byAddress: Map<string, string>;
  /** By kind and term: entries and impacts. */
  readonly postings: Map<string, Map<string, number>>;
  /** By kind and thread, in order. */
  readonly threads: Map<string, Stored[]>;
}

export function createArchive(): Archive {
  return {
    all: new Map(),
    live: new Map(),
    byHash: new Map(),
    byAddress: new Map(),
    postings: new Map(),
    threads: new Map(),
  };
}

export function addLive(archive: Archive, stored: Stored): void {
  const { entry, prepared, kind } = stored;
  archive.all.set(entry.id, stored);
  archive.live.set(entry.id, stored);
  if (kind === "entry")
    archive.byHash.set(prepared.hash, (archive.byHash.get(prepared.hash) ?? new Set()).add(entry.id));
  if (entry.address !== undefined) archive.byAddress.set(entry.address, entry.id);
  for (const [term, impact] of prepared.postings) {
    const key = within(kind, term);
    const list = archive.postings.get(key);
    if (list === undefined) archive.postings.set(key, new Map([[entry.id, impact]]));
    else list.set(entry.id, impact);
  }
  if (entry.thread === undefined) return;
  const key = within(kind, entry.thread);
  const thread = archive.threads.get(key) ?? [];
  archive.threads.set(key, thread);
  const after = thread.findIndex((other) => byPlace(other, stored) > 0);
  thread.splice(after === -1 ? thread.length : after, 0, stored);
}

/** Takes an entry out of every index. What is left is history. */
export function dropLive(archive: Archive, stored: Stored): void {
  const { entry, prepared, kind } = stored;
  archive.live.delete(entry.id);
  const same = archive.byHash.get(prepared.hash);
  same?.delete(entry.id);
  if (same?.size === 0) archive.byHash.delete(prepared.hash);
  if (entry.address !== undefined) archive.byAddress.delete(entry.address);
  for (const term of prepared.postings.keys()) {
    const list = archive.postings.get(within(kind, term));
    list?.delete(entry.id);
    if (list?.size === 0) archive.postings.delete(within(kind, term));
  }
  if (entry.thread === undefined) return;
  const thread = archive.threads.get(within(kind, entry.thread)) as Stored[];
  thread.splice(thread.indexOf(stored), 1);
  if (thread.length === 0) archive.threads.delete(within(kind, entry.thread));
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
