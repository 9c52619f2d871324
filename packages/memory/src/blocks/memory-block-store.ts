import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import type {
  AgentView,
  BlockChangeRow,
  BlockCommit,
  BlockRecord,
  BlockStore,
  NewBlock,
  StoredBytes,
  VisibleBlock,
} from "./block-store.ts";

interface Entry {
  record: BlockRecord;
  snapshots: StoredBytes[];
  updates: StoredBytes[];
  readonly history: BlockChangeRow[];
  readonly shares: Map<string, MemoryPermission>;
  readonly views: Map<string, AgentView>;
}

const UNSEEN: AgentView = { pinned: false };

/** Blocks for as long as the process lives. */
export function createMemoryBlockStore(): BlockStore {
  const entries = new Map<string, Entry>();
  const byLabel = new Map<string, Entry[]>();

  function entryOf(id: string): Entry {
    const entry = entries.get(id);
    if (entry !== undefined) return entry;
    throw new IkigaiError("not_found", `There is no block with the id ${id}`);
  }

  return {
    async create({ record, change, snapshot }) {
      const named = byLabel.get(record.label) ?? [];
      if (named.some((entry) => entry.record.owner === record.owner))
        throw new IkigaiError("conflict", `${record.owner} already has a block "${record.label}"`);
      const entry = entryFrom({ record, change, snapshot });
      entries.set(record.id, entry);
      byLabel.set(record.label, [...named, entry]);
      return entry.record;
    },
    async find(agent, label) {
      return visibleTo(agent, byLabel.get(label) ?? []).toSorted(
        (a, b) => Number(a.shared !== undefined) - Number(b.shared !== undefined),
      );
    },
    list: async (agent) =>
      visibleTo(agent, [...entries.values()]).toSorted((a, b) => (a.record.label < b.record.label ? -1 : 1)),
    listByOrigin: async (uri) =>
      [...entries.values()].map(({ record }) => record).filter(({ origin }) => origin?.uri === uri),
    async load(id) {
      const { snapshots, updates } = entryOf(id);
      return { snapshots: [...snapshots], updates: [...updates] };
    },
    async updatesAfter(id, revision) {
      const { snapshots, updates } = entryOf(id);
      const { revision: oldest } = snapshots.at(-1) as StoredBytes;
      return revision < oldest ? undefined : updates.filter((update) => update.revision > revision);
    },
    commit: async (commit) => commitTo(entryOf(commit.id), commit),
    async compact(id, { revision, bytes }) {
      const entry = entryOf(id);
      const [present] = entry.snapshots as [StoredBytes];
      if (present.revision >= revision) return;
      entry.snapshots = [{ revision, bytes: bytes.slice() }, present];
      entry.updates = entry.updates.filter((update) => update.revision > present.revision);
    },
    history: async (id, limit) => entryOf(id).history.toReversed().slice(0, limit),
    async share(id, agent, permission) {
      const { shares } = entryOf(id);
      if (permission === undefined) return shares.delete(agent);
      const changed = shares.get(agent) !== permission;
      shares.set(agent, permission);
      return changed;
    },
    view: async (agent, id) => entryOf(id).views.get(agent) ?? UNSEEN,
    async setView(agent, id, view) {
      entryOf(id).views.set(agent, structuredClone(view));
    },
  };
}

function entryFrom({ record, change, snapshot }: NewBlock): Entry {
  return {
    record: { ...structuredClone(record), undo: [], redo: [], revision: 0 },
    snapshots: [{ revision: 0, bytes: snapshot.slice() }],
    updates: [],
    history: [change],
    shares: new Map(),
    views: new Map(),
  };
}

function visibleTo(agent: string, some: readonly Entry[]): VisibleBlock[] {
  return some.flatMap(({ record, shares }) => {
    if (record.owner === agent) return [{ record }];
    const shared = shares.get(agent);
    return shared === undefined ? [] : [{ record, shared }];
  });
}

/** Contract: `conflict` unless the block is at the revision that is expected. */
function commitTo(entry: Entry, { expected, set, change }: BlockCommit): BlockRecord {
  const { revision } = entry.record;
  if (revision !== expected) {
    throw new IkigaiError("conflict", `"${entry.record.label}" is at revision ${revision}, not ${expected}`);
  }
  const { origin, ...rest } = structuredClone(set);
  const { origin: kept, ...record } = entry.record;
  const next = origin === undefined ? kept : (origin ?? undefined);
  entry.record = { ...record, ...rest, ...(next !== undefined && { origin: next }), revision: revision + 1 };
  if (change !== undefined) {
    const { bytes, ...row } = change;
    entry.updates.push({ revision: revision + 1, bytes: bytes.slice() });
    entry.history.push(row);
  }
  return entry.record;
}
