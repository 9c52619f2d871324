import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import type {
  AgentView,
  BlockChangeRow,
  BlockCommit,
  BlockRecord,
  BlockStore,
  StoredBytes,
  VisibleBlock,
} from "../blocks/block-store.ts";
import type { DocumentChange, Documents, DocumentView } from "./documents.ts";
import type { FileBudget } from "./file-budget.ts";

/** A block without its text, as its file has it. */
export interface BlockDocumentFile {
  readonly record: BlockRecord;
  readonly history: readonly (Omit<BlockChangeRow, "at"> & { readonly at: string; readonly revision: number })[];
  readonly shares: Readonly<Record<string, MemoryPermission>>;
  readonly views: Readonly<Record<string, AgentView>>;
}

interface BytesRow {
  readonly revision: number;
  /** Base64. */
  readonly bytes: string;
}

/** The document of a block: its kept snapshots, newest first, and the updates behind the oldest of them. */
export interface BlockBytesFile {
  readonly snapshots: readonly BytesRow[];
  readonly updates: readonly BytesRow[];
}

export const BLOCKS = "blocks";
export const BLOCK_BYTES = "block-bytes";
const UNSEEN: AgentView = { pinned: false };

/** Blocks in plain files. Contract: that of `BlockStore`. */
export function createFileBlocks(documents: Documents, budget: FileBudget): BlockStore {
  return {
    create: ({ record, change: row, snapshot }) =>
      documents.change(async (change) => {
        const all = await change.list<BlockDocumentFile>(BLOCKS);
        if (all.some((one) => one.record.owner === record.owner && one.record.label === record.label))
          throw new IkigaiError("conflict", `${record.owner} already has a block "${record.label}"`);
        const made: BlockRecord = { ...structuredClone(record), undo: [], redo: [], revision: 0 };
        const history = [toHistoryRow(row, 0)];
        change.set(BLOCKS, record.id, { record: made, history, shares: {}, views: {} } satisfies BlockDocumentFile);
        setBytes(change, record.id, { snapshots: [toBytesRow({ revision: 0, bytes: snapshot })], updates: [] });
        return made;
      }),
    find: (agent, label) =>
      documents.look(async (view) => {
        const visible = await visibleTo(view, agent);
        return visible.filter(({ record }) => record.label === label).toSorted(ownFirst);
      }),
    list: (agent) =>
      documents.look(async (view) =>
        (await visibleTo(view, agent)).toSorted((a, b) => compare(a.record.label, b.record.label) || ownFirst(a, b)),
      ),
    listByOrigin: (uri) =>
      documents.look(async (view) => {
        const records = (await view.list<BlockDocumentFile>(BLOCKS)).map(({ record }) => record);
        return records.filter(({ origin }) => origin?.uri === uri).toSorted((a, b) => compare(a.id, b.id));
      }),
    load: (id) =>
      documents.look(async (view) => {
        const { snapshots, updates } = await bytesOf(view, id);
        return { snapshots: snapshots.map(toBytes), updates: updates.map(toBytes) };
      }),
    updatesAfter: (id, revision) =>
      documents.look(async (view) => {
        const { snapshots, updates } = await bytesOf(view, id);
        if (revision < (snapshots.at(-1)?.revision ?? 0)) return undefined;
        return updates.filter((update) => update.revision > revision).map(toBytes);
      }),
    commit: (commit) => documents.change((change) => commitTo(change, budget, commit)),
    compact: (id, snapshot) =>
      documents.change(async (change) => {
        const { snapshots, updates } = await bytesOf(change, id);
        const [present] = snapshots as [BytesRow];
        if (present.revision >= snapshot.revision) return;
        const behind = updates.filter(({ revision }) => revision > present.revision);
        setBytes(change, id, { snapshots: [toBytesRow(snapshot), present], updates: behind });
      }),
    history: (id, limit) =>
      documents.look(async (view) => {
        const { history } = await blockOf(view, id);
        return history
          .toReversed()
          .slice(0, limit)
          .map(({ revision: _, at, ...row }) => ({ ...row, at: new Date(at) }));
      }),
    share: (id, agent, permission) =>
      documents.change(async (change) => {
        const block = await blockOf(change, id);
        if (ownValue(block.shares, agent) === permission) return false;
        const others = Object.entries(block.shares).filter(([name]) => name !== agent);
        const shares = Object.fromEntries(permission === undefined ? others : [...others, [agent, permission]]);
        change.set(BLOCKS, id, { ...block, shares } satisfies BlockDocumentFile);
        return true;
      }),
    view: (agent, id) => documents.look(async (view) => ownValue((await blockOf(view, id)).views, agent) ?? UNSEEN),
    setView: (agent, id, view) =>
      documents.change(async (change) => {
        const block = await blockOf(change, id);
        change.set(BLOCKS, id, { ...block, views: { ...block.views, [agent]: view } } satisfies BlockDocumentFile);
        await budget.viewed(change, block.record, agent, view.pinned);
      }),
  };
}

/** Contract: `conflict` unless the block is at the revision that is expected, `over_budget` where it is pinned and too long. */
async function commitTo(
  change: DocumentChange,
  budget: FileBudget,
  { id, expected, set, change: row }: BlockCommit,
): Promise<BlockRecord> {
  const block = await blockOf(change, id);
  const { origin: kept, ...record } = block.record;
  if (record.revision !== expected) {
    throw new IkigaiError("conflict", `"${record.label}" is at revision ${record.revision}, not ${expected}`, {
      hint: "Read the block again, then reapply the edit.",
    });
  }
  const { origin, ...rest } = structuredClone(set);
  const nextOrigin = origin === undefined ? kept : (origin ?? undefined);
  const revision = expected + 1;
  const next = { ...record, ...rest, ...(nextOrigin !== undefined && { origin: nextOrigin }), revision };
  const history = row === undefined ? block.history : [...block.history, toHistoryRow(row, revision)];
  change.set(BLOCKS, id, { ...block, record: next, history } satisfies BlockDocumentFile);
  if (row !== undefined) {
    const { snapshots, updates } = await bytesOf(change, id);
    setBytes(change, id, { snapshots, updates: [...updates, toBytesRow({ revision, bytes: row.bytes })] });
    await budget.changed(change, next, row.agent);
  }
  return next;
}

async function visibleTo(view: DocumentView, agent: string): Promise<VisibleBlock[]> {
  const blocks = await view.list<BlockDocumentFile>(BLOCKS);
  return blocks.flatMap(({ record, shares }): VisibleBlock[] => {
    if (record.owner === agent) return [{ record }];
    const shared = ownValue(shares, agent);
    return shared === undefined ? [] : [{ record, shared }];
  });
}

function ownFirst(a: VisibleBlock, b: VisibleBlock): number {
  return Number(a.shared !== undefined) - Number(b.shared !== undefined) || compare(a.record.owner, b.record.owner);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

async function blockOf(view: DocumentView, id: string): Promise<BlockDocumentFile> {
  const block = await view.get<BlockDocumentFile>(BLOCKS, id);
  if (block === undefined) throw noBlock(id);
  return block;
}

async function bytesOf(view: DocumentView, id: string): Promise<BlockBytesFile> {
  const bytes = await view.get<BlockBytesFile>(BLOCK_BYTES, id);
  if (bytes === undefined) throw noBlock(id);
  return bytes;
}

function setBytes(change: DocumentChange, id: string, bytes: BlockBytesFile): void {
  change.set(BLOCK_BYTES, id, bytes);
}

function toHistoryRow(
  { at, agent, operation, frontiers }: BlockChangeRow,
  revision: number,
): BlockDocumentFile["history"][number] {
  return { at: at.toISOString(), agent, operation, frontiers, revision };
}

function toBytesRow({ revision, bytes }: StoredBytes): BytesRow {
  return { revision, bytes: Buffer.from(bytes).toString("base64") };
}

function toBytes({ revision, bytes }: BytesRow): StoredBytes {
  return { revision, bytes: new Uint8Array(Buffer.from(bytes, "base64")) };
}

/** Contract: an agent whose name is one of every object's own words, such as `constructor`, has nothing until it is set. */
function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function noBlock(id: string): IkigaiError {
  return new IkigaiError("not_found", `There is no block with the id ${id}`);
}
