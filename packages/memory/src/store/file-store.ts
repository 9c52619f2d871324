import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { IkigaiError } from "@ikigai/core";
import type { StoredManifest, StoredMessage } from "@ikigai/core/host";
import { createAudit, fileSink } from "../audit/audit.ts";
import { createFileJournal } from "../journal/file-journal.ts";
import type { Journal } from "../journal/journal.ts";
import type { Assets } from "../pins/pins.ts";
import { createFileAssets } from "./assets/file-assets.ts";
import { type AuditLog, readAuditRows } from "./audit-log.ts";
import { createDocuments, type Documents } from "./documents.ts";
import { createFileApprovals } from "./file-approvals.ts";
import { createFileBlocks } from "./file-blocks.ts";
import { createFileBudget } from "./file-budget.ts";
import { createFileConversations, pruneConversations } from "./file-conversations.ts";
import { createFilePositions } from "./file-positions.ts";
import type { PrunedRows, PruneOptions, Retention } from "./retention.ts";
import type { Store } from "./store.ts";

export interface FileStoreOptions<Message extends StoredMessage> {
  /** The folder of blocks, assets, pins, conversations and questions. Contract: it is made by the first change. */
  readonly folder: string;
  readonly auditFile: string;
  readonly journalFile: string;
  /** The mount under which assets are addressed. */
  readonly assetMount: string;
  /** Whether changes of assets are written to the journal. Default true. */
  readonly journal?: boolean;
  readonly countTokens: (text: string) => number;
  /** Names a conversation by its messages. */
  readonly titleOf: (messages: readonly Message[]) => string;
  /** Tokens that an agent's pins may have in all. Default 100,000. */
  readonly budget?: number;
  /** Whether `/compact` is offered, so that a refusal may advise it. Default false. */
  readonly canCompact?: boolean;
  /** Makes the folder of the audit and the journal. Default: readable by its owner only. */
  readonly makeFolder?: (folder: string) => Promise<unknown>;
  /** Receives the bytes of audit rows that went because their files were full. */
  readonly onAuditDropped?: (bytes: number) => void;
  /** Receives the bytes of journal entries that went because their files were full. */
  readonly onJournalDropped?: (bytes: number) => void;
  /** Told what went wrong where nobody waits for an answer. */
  readonly warn?: (message: string) => void;
}

const BUDGET = 100_000;

/** `Store` in plain files. */
export interface FileStore<
  Message extends StoredMessage = StoredMessage,
  Manifest extends StoredManifest = StoredManifest,
> extends Store<Message, Manifest> {
  readonly assets: Assets;
}

/**
 * `Store` in plain files of JSON, for a machine without a database.
 *
 * Contract: that of `Store`; assets keep their last 100 states. Looking at a store that is not there makes nothing. Files are readable by
 * their owner only.
 */
export function createFileStore<Message extends StoredMessage, Manifest extends StoredManifest>(
  options: FileStoreOptions<Message>,
): FileStore<Message, Manifest> {
  const { folder, countTokens, titleOf, budget: limit = BUDGET, canCompact = false } = options;
  const documents = createDocuments(folder);
  const budget = createFileBudget(documents, { limit, canCompact, countTokens });
  const journal = openJournal(options);
  const assets = createFileAssets({
    documents,
    budget,
    journal: options.journal === false ? undefined : journal,
    mount: options.assetMount,
    countTokens,
    clock: () => new Date(),
    warn: options.warn ?? (() => {}),
  });
  return {
    blocks: createFileBlocks(documents, budget),
    guard: budget.guard,
    pins: budget.pins,
    assets,
    journal,
    audit: createFileAudit(options),
    approvals: createFileApprovals(documents),
    conversations: createFileConversations<Message, Manifest>(documents, { titleOf }),
    positions: createFilePositions(documents),
    prune: (retention, pruneOptions) => prune(documents, retention, pruneOptions),
    refused: async () => [],
    close: async () => {},
  };
}

function openJournal({
  journalFile,
  makeFolder = makeOwnFolder,
  onJournalDropped: onDropped,
}: Pick<FileStoreOptions<StoredMessage>, "journalFile" | "makeFolder" | "onJournalDropped">): Journal {
  const journal = createFileJournal(journalFile, () => new Date(), { ...(onDropped && { onDropped }) });
  return {
    ...journal,
    async intend(entry) {
      await makeFolder(dirname(journalFile));
      return journal.intend(entry);
    },
  };
}

function createFileAudit({
  auditFile,
  makeFolder = makeOwnFolder,
  onAuditDropped: onDropped,
}: Pick<FileStoreOptions<StoredMessage>, "auditFile" | "makeFolder" | "onAuditDropped">): AuditLog {
  const audit = createAudit(fileSink(auditFile, { sync: true, ...(onDropped && { onDropped }) }));
  return {
    async intent(call) {
      await makeFolder(dirname(auditFile));
      await audit.intent(call);
    },
    async outcome(call) {
      await makeFolder(dirname(auditFile));
      await audit.outcome(call);
    },
    written: async () => {},
    read: (query) => readAuditRows(auditFile, query),
    takeIn: async () => {},
  };
}

function makeOwnFolder(folder: string): Promise<unknown> {
  return mkdir(folder, { recursive: true, mode: 0o700 });
}

const DAY_MS = 86_400_000;

async function prune(
  documents: Documents,
  { journal, audit, conversations: keep }: Retention,
  { dryRun = false, now = new Date() }: PruneOptions = {},
): Promise<PrunedRows> {
  if (journal !== undefined || audit !== undefined) {
    throw new IkigaiError("unsupported", "Plain files keep the journal and the audit by size, not by days or rows", {
      hint: "Take journal and audit out of the retention, or install @ikigai/store-postgres.",
    });
  }
  if (keep === undefined) return { journal: 0, audit: 0, conversations: 0 };
  const { days, rows } = keep;
  const before = days === undefined ? undefined : new Date(now.getTime() - days * DAY_MS);
  const conversations = await documents.change((change) => pruneConversations(change, { before, rows }, dryRun));
  return { journal: 0, audit: 0, conversations };
}
