import { IkigaiError } from "@ikigai/core";
import { type BlockDocument, exportUpdate, frontiersOf, importUpdate, openBlockDocument } from "./block-document.ts";
import type { BlockCommit, BlockRecord, BlockStore } from "../block-store.ts";
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

interface Kept {
  readonly document: BlockDocument;
  revision: number;
  /** Calls that are using the document at the moment. */
  users: number;
  freed: boolean;
}

export function createOpenDocuments(store: BlockStore, options: OpenDocumentsOptions = {}): OpenDocuments {
  const { keep = KEEP, compactAfter = COMPACT_AFTER, warn = () => undefined } = options;
  const kept = new Map<string, Kept>();
  const queue = createQueueByKey();

  function putBack(id: string, entry: Kept): void {
    const replaced = kept.get(id);
    kept.delete(id);
    kept.set(id, entry);
    if (replaced !== undefined && replaced !== entry) letGo(id, replaced);
    if (kept.size <= keep) return;
    for (const [oldest, dropped] of kept) {
      if (kept.size <= keep) return;
      kept.delete(oldest);
      letGo(oldest, dropped);
    }
  }

  /** The collector does not see how much memory a document has, and so would leave it for long. */
  function letGo(id: string, entry: Kept): void {
    if (entry.freed || entry.users > 0 || kept.get(id) === entry) return;
    entry.freed = true;
    entry.document.doc.free();
  }

  /** Runs `use` on the document as it is stored. */
  async function withDocument<Result>(record: BlockRecord, use: (entry: Kept) => Promise<Result>): Promise<Result> {
    const { id } = record;
    const present = kept.get(id);
    if (present === undefined) return holding(id, await load(record), use);
    return holding(id, present, async (entry) => {
      // Somebody may have taken it meanwhile to try a change on it; then it is not what is stored.
      if ((await bringUpToDate(record, entry)) && kept.get(id) === entry) return use(entry);
      return holding(id, await load(record), use);
    });
  }

  async function holding<Result>(id: string, entry: Kept, use: (entry: Kept) => Promise<Result>): Promise<Result> {
    entry.users++;
    try {
      return await use(entry);
    } finally {
      entry.users--;
      letGo(id, entry);
    }
  }

  /** Contract: false when the store no longer has what is missing, or the document was taken from the shelf meanwhile. */
  async function bringUpToDate(record: BlockRecord, entry: Kept): Promise<boolean> {
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

  async function load(record: BlockRecord): Promise<Kept> {
    const [stored] = await Promise.all([store.load(record.id), loadLibraries()]);
    const { document, refused } = openBlockDocument(record.label, record.schema, stored);
    for (const message of refused) warn(message);
    return { document, revision: record.revision, users: 0, freed: false };
  }

  async function compact(id: string, { document, revision }: Kept): Promise<void> {
    try {
      await store.compact(id, { revision, bytes: document.doc.export({ mode: "snapshot" }) });
    } catch (error) {
      warn(`A snapshot of the block ${id} could not be kept: ${String(error)}`);
    }
  }

  async function attempt(id: string, request: ChangeRequest): Promise<BlockRecord | undefined> {
    const record = await request.find();
    return withDocument(record, (entry) => tryOn(entry, id, record, request));
  }

  async function tryOn(
    entry: Kept,
    id: string,
    record: BlockRecord,
    request: ChangeRequest,
  ): Promise<BlockRecord | undefined> {
    const { document } = entry;
    const before = frontiersOf(document);
    // Until the store has it the change is only a try: the document comes back clean from the store.
    kept.delete(id);
    const change = request.work(document, record);
    const after = frontiersOf(document);
    if (change === undefined || (after === before && change.set === undefined)) {
      putBack(id, entry);
      return record;
    }
    if (after !== before) await request.check?.(document, record);
    const row = { at: request.now, agent: request.agent, operation: change.operation, frontiers: after };
    let next: BlockRecord;
    try {
      next = await store.commit({
        id,
        expected: record.revision,
        set: change.set ?? {},
        ...(after !== before && { change: { ...row, bytes: exportUpdate(document, before) } }),
      });
    } catch (error) {
      if (IkigaiError.is(error, "conflict")) return undefined;
      throw error;
    }
    entry.revision = next.revision;
    putBack(id, entry);
    if (next.revision % compactAfter === 0) await compact(id, entry);
    return next;
  }

  return {
    read: (record, use) =>
      withDocument(record, async (entry) => {
        putBack(record.id, entry);
        return use(entry.document);
      }),
    keep: ({ id, revision }, document) => putBack(id, { document, revision, users: 0, freed: false }),
    async change(id, request) {
      using _turn = await queue.enter(id);
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const done = await attempt(id, request);
        if (done !== undefined) return done;
      }
      throw new IkigaiError("conflict", `The block was changed by others ${MAX_TRIES} times in a row`, {
        hint: "Try again later.",
      });
    },
  };
}
