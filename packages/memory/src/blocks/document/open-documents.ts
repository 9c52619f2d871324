import { IkigaiError } from "@ikigai/core";
import { type BlockDocument, exportUpdate, frontiersOf, importUpdate, openBlockDocument } from "./block-document.ts";
import type { BlockCommit, BlockRecord, BlockStore } from "../block-store.ts";
import { createKeptDocuments, type KeptDocument } from "./kept-documents.ts";
import { loadLibraries } from "./libraries.ts";
import { createQueueByKey } from "../../queue-by-key.ts";

/** What a change made to the document is told as, and what of the record goes with it. */
export interface Change {
  readonly operation: string;
  readonly set?: BlockCommit["set"];
}

export interface ChangeRequest {
  readonly agent: string;
  readonly now: Date;
  /** Finds the record anew at each try. */
  readonly find: () => Promise<BlockRecord>;
  /** Changes the document, or throws; `undefined` when there is nothing to do. May be called again. */
  readonly work: (document: BlockDocument, record: BlockRecord) => Change | undefined;
  /** Called before the change is kept; throws to refuse it. */
  readonly check?: (document: BlockDocument, record: BlockRecord) => Promise<void>;
}

/** The documents that are open in this process, each brought up to date before it is used. */
export interface OpenDocuments {
  /** What `use` makes of the document. Contract: it is not to be kept beyond that: a change may be tried on it later. */
  read<Result>(record: BlockRecord, use: (document: BlockDocument) => Result): Promise<Result>;
  /** Takes over the document of a block that was just stored. */
  keep(record: BlockRecord, document: BlockDocument): void;
  /** Contract: one change at a time per block; one that meets another process's is made again on top of it. */
  change(id: string, request: ChangeRequest): Promise<BlockRecord>;
}

export interface OpenDocumentsOptions {
  /** How many documents stay open. Default 256. */
  readonly keep?: number;
  /** Updates after which a snapshot is made. Default 64. */
  readonly compactAfter?: number;
  readonly warn?: (message: string) => void;
}

const KEEP = 256;
const COMPACT_AFTER = 64;
const MAX_TRIES = 50;

export function createOpenDocuments(store: BlockStore, options: OpenDocumentsOptions = {}): OpenDocuments {
  const { keep = KEEP, compactAfter = COMPACT_AFTER, warn = () => undefined } = options;
  const kept = createKeptDocuments(keep);
  const queue = createQueueByKey();

  /** Runs `use` on the document as it is stored. */
  async function withDocument<Result>(
    record: BlockRecord,
    use: (entry: KeptDocument) => Promise<Result>,
  ): Promise<Result> {
    const { id } = record;
    const present = kept.get(id);
    if (present === undefined) return kept.holding(id, await load(store, record, warn), use);
    return kept.holding(id, present, async (entry) => {
      // Somebody may have taken it meanwhile to try a change on it; then it is not what is stored.
      if ((await bringUpToDate(record, entry)) && kept.get(id) === entry) return use(entry);
      return kept.holding(id, await load(store, record, warn), use);
    });
  }

  /** Contract: false when the store no longer has what is missing, or the document was taken out meanwhile. */
  async function bringUpToDate(record: BlockRecord, entry: KeptDocument): Promise<boolean> {
    if (entry.revision === record.revision) return true;
    const updates = await store.updatesAfter(record.id, entry.revision);
    if (updates === undefined || kept.get(record.id) !== entry) return false;
    for (const { revision, bytes } of updates) {
      importUpdate(record.label, entry.document, bytes);
      entry.revision = revision;
    }
    entry.revision = Math.max(entry.revision, record.revision);
    return true;
  }

  /** Contract: absent when another process changed the block first. */
  async function tryOn(
    entry: KeptDocument,
    record: BlockRecord,
    request: ChangeRequest,
  ): Promise<BlockRecord | undefined> {
    const { id } = record;
    const { document } = entry;
    const before = frontiersOf(document);
    // Until the store has it the change is only a try: the document comes back clean from the store.
    kept.takeOut(id);
    const change = request.work(document, record);
    const after = frontiersOf(document);
    if (change === undefined || (after === before && change.set === undefined)) {
      kept.putBack(id, entry);
      return record;
    }
    if (after !== before) await request.check?.(document, record);
    const next = await commit(store, document, record, { request, change, before, after });
    if (next === undefined) return undefined;
    entry.revision = next.revision;
    kept.putBack(id, entry);
    if (next.revision % compactAfter === 0) await compact(store, id, entry, warn);
    return next;
  }

  return {
    read: (record, use) =>
      withDocument(record, async (entry) => {
        kept.putBack(record.id, entry);
        return use(entry.document);
      }),
    keep: ({ id, revision }, document) => kept.putBack(id, { document, revision, users: 0, freed: false }),
    async change(id, request) {
      using _turn = await queue.enter(id);
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const record = await request.find();
        const done = await withDocument(record, (entry) => tryOn(entry, record, request));
        if (done !== undefined) return done;
      }
      throw new IkigaiError("conflict", `The block was changed by others ${MAX_TRIES} times in a row`, {
        hint: "Try again later.",
      });
    },
  };
}

async function load(store: BlockStore, record: BlockRecord, warn: (message: string) => void): Promise<KeptDocument> {
  const [stored] = await Promise.all([store.load(record.id), loadLibraries()]);
  const { document, refused } = openBlockDocument(record.label, record.schema, stored);
  for (const message of refused) warn(message);
  return { document, revision: record.revision, users: 0, freed: false };
}

/** A change that was made to a document, with its states before and after. */
interface MadeChange {
  readonly request: ChangeRequest;
  readonly change: Change;
  readonly before: string;
  readonly after: string;
}

/** Stores a change. Contract: absent when another process changed the block first. */
async function commit(
  store: BlockStore,
  document: BlockDocument,
  { id, revision }: BlockRecord,
  { request, change, before, after }: MadeChange,
): Promise<BlockRecord | undefined> {
  const row = { at: request.now, agent: request.agent, operation: change.operation, frontiers: after };
  try {
    return await store.commit({
      id,
      expected: revision,
      set: change.set ?? {},
      ...(after !== before && { change: { ...row, bytes: exportUpdate(document, before) } }),
    });
  } catch (error) {
    if (IkigaiError.is(error, "conflict")) return undefined;
    throw error;
  }
}

async function compact(
  store: BlockStore,
  id: string,
  { document, revision }: KeptDocument,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await store.compact(id, { revision, bytes: document.doc.export({ mode: "snapshot" }) });
  } catch (error) {
    warn(`A snapshot of the block ${id} could not be kept: ${String(error)}`);
  }
}
