import type {
  Inserted,
  MirroredText,
  NewEntry,
  RecallCall,
  RecallEmbedding,
  RecallKind,
  RecallStore,
} from "../contract.ts";
import type { Embedder } from "@ikigai/core/host";
import { embedChecked } from "../embed/embed-checked.ts";
import { identityOf, isPlain, sameContent } from "../entry/identity.ts";
import { alreadySuperseded, noSuchEntry } from "../entry/entry-errors.ts";
import { prepareEntry, type PreparedEntry } from "../entry/prepare-entry.ts";
import { recalledParts } from "../entry/recalled-text.ts";
import { searchWith } from "../search.ts";
import { type AnalyserOptions, createAnalyser } from "../text/analyse.ts";
import {
  addLive,
  addTo,
  type Archive,
  createArchive,
  dropFrom,
  dropLive,
  publicEntry,
  type Stored,
} from "./archive.ts";
import { memoryEngine } from "./memory-engine.ts";

export interface MemoryRecallOptions extends AnalyserOptions {
  /** Adds meaning to the words. Default: none. */
  readonly embedder?: Embedder;
}

/** An archive that lives as long as the process. The reference for what every other engine must do. */
export function createMemoryRecall(options: MemoryRecallOptions = {}): RecallStore {
  const analyser = createAnalyser(options);
  const archives = new Map<string, Archive>();
  const archiveOf = (owner: string): Archive => {
    const archive = archives.get(owner) ?? createArchive();
    archives.set(owner, archive);
    return archive;
  };
  const engine = memoryEngine(archiveOf);
  const { embedder } = options;
  let last = 0;

  const store = (archive: Archive, text: NewEntry | MirroredText, prepared: PreparedEntry, now: Date): string => {
    last += 1;
    const stored = toStored(text, prepared, last, now);
    addLive(archive, stored);
    return stored.entry.id;
  };

  const find = (id: string, { owner }: RecallCall): Stored => {
    const stored = archiveOf(owner).all.get(id);
    if (stored === undefined || stored.kind !== "entry") throw noSuchEntry(id);
    return stored;
  };

  return {
    async insert(entries, call) {
      const now = call.now ?? new Date();
      const archive = archiveOf(call.owner);
      const prepared = entries.map((entry) => prepareEntry(entry, analyser, now));
      assertCorrectable(entries, (id) => find(id, call));
      return entries.map((entry, i): Inserted => {
        const ready = prepared[i] as PreparedEntry;
        const known = knownEntry(archive, ready.hash, entry) ?? knownParts(archive, entry.content, ready.hash);
        const id = known?.id ?? store(archive, entry, ready, now);
        const old =
          entry.supersedes === undefined || entry.supersedes === id ? undefined : find(entry.supersedes, call);
        if (old !== undefined) {
          old.supersededBy = id;
          dropLive(archive, old);
          addTo(archive.corrected, old.prepared.hash, old.entry.id);
        }
        return known ?? { id, stored: true };
      });
    },
    search: (request, call) => searchWith(engine, analyser, embedder, request, call),
    get: async (id, call) => publicEntry(find(id, call)),
    async history(id, call) {
      const chain = correctionsOf(find(id, call), archiveOf(call.owner));
      return chain.toSorted((a, b) => a.number - b.number).map(publicEntry);
    },
    async erase(id, { by, reason }, call) {
      const stored = find(id, call);
      if (stored.erased !== undefined) return;
      const archive = archiveOf(call.owner);
      if (archive.live.has(id)) dropLive(archive, stored);
      dropFrom(archive.corrected, stored.prepared.hash, id);
      const erased = { at: call.now ?? new Date(), by, ...(reason !== undefined && { reason }) };
      archive.all.set(id, { ...withoutContent(stored), erased });
    },
    async mirror(texts, call) {
      const now = call.now ?? new Date();
      const archive = archiveOf(call.owner);
      const prepared = texts.map((text) => prepareEntry(text, analyser, now));
      for (const [i, text] of texts.entries()) {
        const ready = prepared[i] as PreparedEntry;
        remove(archive, text.address);
        store(archive, text, ready, now);
      }
    },
    async unmirror(addresses, call) {
      for (const address of addresses) remove(archiveOf(call.owner), address);
    },
    ...lookAtArchives(archiveOf, embedder),
    ...(embedder !== undefined && { embedding: memoryEmbedding(embedder, archives) }),
  };
}

/** Contract: throws when what an entry corrects is unknown, erased, or corrected already. */
function assertCorrectable(entries: readonly NewEntry[], find: (id: string) => Stored): void {
  const corrected = new Set<string>();
  for (const { supersedes } of entries) {
    if (supersedes === undefined) continue;
    const { erased, supersededBy } = find(supersedes);
    if (erased !== undefined) throw noSuchEntry(supersedes);
    if (supersededBy !== undefined || corrected.has(supersedes)) throw alreadySuperseded(supersedes, supersededBy);
    corrected.add(supersedes);
  }
}

/** What is said of an archive as a whole. */
function lookAtArchives(
  archiveOf: (owner: string) => Archive,
  embedder: Embedder | undefined,
): Pick<RecallStore, "copies" | "scan" | "status"> {
  return {
    async copies(wanted, call) {
      const copies = [...archiveOf(call.owner).live.values()].filter(({ kind }) => kind === wanted);
      return new Map(
        copies.map(({ entry: { address = "", provenance } }) => [address, (provenance["version"] ?? "") as string]),
      );
    },
    async scan({ after, limit = 500 }, call) {
      const from = after === undefined ? 0 : Number(after);
      const rows = [...archiveOf(call.owner).all.values()].filter(
        ({ kind, number }) => kind === "entry" && number > from,
      );
      return rows
        .toSorted((a, b) => a.number - b.number)
        .slice(0, limit)
        .map(publicEntry);
    },
    async status(call) {
      const live = [...archiveOf(call.owner).live.values()];
      if (embedder === undefined) return { entries: live.length };
      const embedded = live.filter(({ vector }) => vector?.model === embedder.id).length;
      return { entries: live.length, embedded, model: embedder.id };
    },
  };
}

/** A new text as the archive keeps it, under its number. */
function toStored(text: NewEntry | MirroredText, prepared: PreparedEntry, number: number, now: Date): Stored {
  const { content, metadata = {}, provenance = {}, thread, order, occurredAt } = text;
  const mirrored = "kind" in text ? text : undefined;
  const kind: RecallKind = mirrored?.kind ?? "entry";
  const supersedes = mirrored === undefined ? (text as NewEntry).supersedes : undefined;
  const entry = {
    id: String(number),
    kind,
    label: mirrored === undefined ? "" : (mirrored.label ?? mirrored.address),
    content,
    metadata: structuredClone(metadata),
    provenance: {
      ...structuredClone(provenance),
      ...(mirrored?.version !== undefined && { version: mirrored.version }),
    },
    createdAt: now,
    ...(thread !== undefined && { thread }),
    ...(order !== undefined && { order }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(supersedes !== undefined && { supersedes }),
    ...(mirrored !== undefined && { address: mirrored.address }),
  };
  return { entry, prepared, kind, number, sort: order ?? number };
}

/** An entry with everything that it corrected and that corrected it. */
function correctionsOf(first: Stored, archive: Archive): readonly Stored[] {
  const chain = new Map<string, Stored>();
  const follow = (stored: Stored): void => {
    if (chain.has(stored.entry.id)) return;
    chain.set(stored.entry.id, stored);
    for (const other of archive.all.values()) {
      if (other.supersededBy === stored.entry.id || stored.supersededBy === other.entry.id) follow(other);
    }
  };
  follow(first);
  return [...chain.values()];
}

/** What is left of an entry once it is erased: its id, kind and time, and what it corrected. */
function withoutContent(stored: Stored): Stored {
  const { id, kind, createdAt, supersedes } = stored.entry;
  const rest = { id, kind, createdAt, ...(supersedes !== undefined && { supersedes }) };
  const entry = { ...rest, label: "", content: "", metadata: {}, provenance: {} };
  return { ...stored, entry, prepared: { ...stored.prepared, hash: "", postings: new Map() } };
}

function remove(archive: Archive, address: string): void {
  const id = archive.byAddress.get(address);
  const stored = id === undefined ? undefined : archive.live.get(id);
  if (stored === undefined) return;
  dropLive(archive, stored);
  archive.all.delete(stored.entry.id);
}

/** The live entry with this content, else the one that was corrected, if it says all that the new one would. */
function knownEntry(archive: Archive, hash: string, given: NewEntry): Inserted | undefined {
  const fits = ({ entry }: Stored): boolean => isPlain(given) || identityOf(hash, entry) === identityOf(hash, given);
  const named = (ids: Iterable<string> = []): Stored[] => Array.from(ids, (id) => archive.all.get(id) as Stored);
  const live = named(archive.byHash.get(hash)).find(fits);
  if (live !== undefined) return sameContent(live.entry.id, given.metadata, live.entry.metadata);
  if (given.supersedes !== undefined) return undefined;
  const corrected = named(archive.corrected.get(hash)).toSorted((a, b) => a.number - b.number);
  const old = corrected.findLast(fits);
  let last = old;
  while (last?.supersededBy !== undefined) last = archive.all.get(last.supersededBy);
  if (old === undefined || last === undefined || !archive.live.has(last.entry.id)) return undefined;
  return { id: old.entry.id, stored: false, recognised: "superseded", supersededBy: last.entry.id };
}

/** The last of the entries that a text was put together from, when it says nothing else. */
function knownParts(archive: Archive, content: string, own: string): Inserted | undefined {
  for (const hashes of recalledParts(content, own)) {
    const ids = hashes.map((hash) => [...(archive.byHash.get(hash) ?? [])][0]);
    const id = ids.at(-1);
    if (id !== undefined && !ids.includes(undefined)) return { id, stored: false, recognised: "recalled_text" };
  }
  return undefined;
}

function memoryEmbedding(embedder: Embedder, archives: ReadonlyMap<string, Archive>): RecallEmbedding {
  return {
    model: embedder.id,
    async embedNext(batch, signal) {
      const pending = [...archives.values()]
        .flatMap(({ live }) => [...live.values()])
        .filter(({ vector }) => vector?.model !== embedder.id);
      const now = pending.slice(0, batch);
      const vectors = await embedChecked(
        embedder,
        now.map(({ entry }) => entry.content.slice(0, 8_000)),
        signal,
      );
      for (const [i, stored] of now.entries())
        stored.vector = { model: embedder.id, values: vectors[i] as Float32Array };
      return { embedded: now.length, remaining: pending.length - now.length };
    },
  };
}
