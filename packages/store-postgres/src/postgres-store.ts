import { type Actor, formatAddress, messageOf } from "@ikigai/core";
import type { CallIntent, StoredManifest, StoredMessage } from "@ikigai/core/host";
import { type Database, forgetKeys, type MigrationSet, type Transaction } from "@ikigai/database";
import {
  type Assets,
  type AuditLog,
  type AuditRow,
  createAudit,
  type Journal,
  type JournalFields,
  type PrunedRows,
  type PruneOptions,
  type RefusedRows,
  type Retention,
  type Store,
} from "@ikigai/memory";
import { createApprovalRequests } from "./approval-requests.ts";
import { createAssetHook, type StoredChange } from "./asset-hook.ts";
import { databaseSink, readAudit, takeInSpool } from "./audit/audit.ts";
import { createAuditWithJournal } from "./audit/audit-with-journal.ts";
import { createBlockBudget } from "./budget/block-budget.ts";
import { createBlockStore } from "./block-store.ts";
import { type Budget, createBudget } from "./budget/budget.ts";
import { createConversations } from "./conversations/conversations.ts";
import { createJournal } from "./journal/journal.ts";
import { createRefusalReport } from "./waiting/refusal-report.ts";
import { readRefused } from "./waiting/refused-rows.ts";
import { pruneStore, storeTime } from "./retention.ts";
import { createStreamPositions } from "./stream-positions.ts";
import { takeInJournal } from "./waiting/take-in-journal.ts";
import { withTables } from "./with-tables.ts";

/** The table of assets, as the package that has it offers it. */
export interface AssetTable extends Omit<Assets, "find" | "change"> {
  update(
    path: string,
    update: { readonly text?: string; readonly pinned?: boolean; readonly details: Omit<JournalFields, "pinned"> },
    options: {
      readonly agent: string;
      readonly actor: Actor;
      readonly expected?: string | null;
      readonly reason?: string;
    },
  ): Promise<void>;
  /** Removes states older than `before`, never the present ones nor those to `keep`. */
  prune(before: Date, keep: readonly { readonly owner: string; readonly version: string }[]): Promise<number>;
}

export interface PostgresStoreOptions<Message extends StoredMessage> {
  readonly database: Database;
  /** The tables, which are made when the store is first used. */
  readonly migrations: readonly MigrationSet[];
  /** Opens the table of assets. Contract: each change of an asset awaits `hook` in its own transaction. */
  readonly openAssets: (
    database: Database,
    hook: (tx: Transaction, change: StoredChange) => Promise<void>,
  ) => AssetTable;
  /** The mount under which assets are addressed. */
  readonly assetMount: string;
  readonly countTokens: (text: string) => number;
  /** Names a conversation by its messages. */
  readonly titleOf: (messages: readonly Message[]) => string;
  /** Tokens that an agent's pins may have in all. Default 100,000. */
  readonly budget?: number;
  /** Whether `/compact` is offered, so that a refusal may advise it. Default false. */
  readonly canCompact?: boolean;
  /** Whether changes are written down. */
  readonly journal: boolean;
  /** Whether the only act of a call is one change that the journal announces. Default: it is not. */
  readonly isAnnounced?: (call: CallIntent) => boolean;
  /** Where audit rows wait for the store. */
  readonly auditFile: string;
  /** Where journal entries wait for the store. */
  readonly journalFile: string;
  /** Told what went wrong where nobody waits for an answer. */
  readonly warn?: (message: string) => void;
}

/** `Store` in PostgreSQL. */
export interface PostgresStore<
  Message extends StoredMessage = StoredMessage,
  Manifest extends StoredManifest = StoredManifest,
> extends Store<Message, Manifest> {
  readonly database: Database;
  readonly assets: Assets;
}

/** Contract: connects, starts a keeper and makes tables when it is first used; closing it closes the database. */
export function createPostgresStore<Message extends StoredMessage, Manifest extends StoredManifest>(
  options: PostgresStoreOptions<Message>,
): PostgresStore<Message, Manifest> {
  const { assetMount, countTokens, titleOf } = options;
  const database = withTables(options.database, options.migrations);
  const budget = createBudget(database, {
    canCompact: options.canCompact ?? false,
    ...(options.budget !== undefined && { limit: options.budget }),
  });
  const plainJournal = createJournal(database);
  const hook = createAssetHook({ mount: assetMount, budget, ...(options.journal && { journal: plainJournal }) });
  const table = options.openAssets(database, hook);
  const blockBudget = createBlockBudget(budget, { countTokens });
  const { audit, journal, settled } = createRecords(database, plainJournal, options);
  return {
    database,
    assets: createAssets(table, budget, assetMount),
    blocks: createBlockStore(database, blockBudget),
    guard: blockBudget.guard,
    pins: {
      status: (agent) => budget.status(agent),
      setLimit: (agent, tokens) => budget.setLimit(agent, tokens),
    },
    journal,
    audit,
    approvals: createApprovalRequests(database),
    conversations: createConversations<Message, Manifest>(database, { titleOf }),
    positions: createStreamPositions(database),
    prune: (retention, pruneOptions) => prune(database, table, retention, pruneOptions),
    refused: () => readAllRefused(options),
    async close() {
      await settled();
      await options.database.close();
    },
  };
}

/** Contract: opens no store. */
export async function readAllRefused({
  auditFile,
  journalFile,
}: Pick<PostgresStoreOptions<StoredMessage>, "auditFile" | "journalFile">): Promise<readonly RefusedRows[]> {
  const found = await Promise.all([readRefused(auditFile), readRefused(journalFile)]);
  return found.filter((one) => one !== undefined);
}

/** Audit and journal, with what waits for the store in files. */
function createRecords(
  database: Database,
  journal: Journal,
  options: Pick<PostgresStoreOptions<StoredMessage>, "auditFile" | "journalFile" | "isAnnounced" | "warn">,
): { readonly audit: AuditLog; readonly journal: Journal; readonly settled: () => Promise<void> } {
  const { auditFile, journalFile, isAnnounced, warn } = options;
  const reportOf = createRefusalReport(warn);
  let taking: Promise<unknown> = Promise.resolve();
  let taken = false;
  const takeIn = async (): Promise<void> => {
    taken = true;
    const { onRefused, report } = reportOf("audit rows", auditFile);
    await (taking = taking.catch(() => {}).then(() => takeInSpool(database, auditFile, { onRefused })));
    report();
  };
  const keepRow = async (row: AuditRow): Promise<void> => {
    // Rows that wait from earlier are taken in beside it, once: nothing that happens to them concerns this row.
    if (!taken) takeIn().catch((error: unknown) => warn?.(`audit rows wait: ${messageOf(error)}`));
    await databaseSink(database)(row);
  };
  const together = createAuditWithJournal({ database, journal, keepRow, ...(warn && { warn }) });
  const direct = createAudit(keepRow);
  const withChange = createAudit(together.keepWithChange);
  const audit: AuditLog = {
    intent: (call) => (isAnnounced?.(call) === true ? withChange : direct).intent(call),
    outcome: (call) => direct.outcome(call),
    written: together.written,
    async read(query) {
      await takeIn();
      return readAudit(database, query);
    },
    takeIn,
  };
  const waiting = takeInOnce(async () => {
    const { onRefused, report } = reportOf("journal entries", journalFile);
    await takeInJournal(database, journalFile, { onRefused });
    report();
  });
  return { audit, journal: journalBehind(waiting, together.journal), settled: together.settled };
}

/** Contract: what failed is tried again by the next who waits. */
function takeInOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** A journal that is used only after the entries that waited in a file were taken in. */
function journalBehind(waiting: () => Promise<void>, journal: Journal): Journal {
  return {
    intend: async (entry) => (await waiting(), journal.intend(entry)),
    settle: async (id, end) => (await waiting(), journal.settle(id, end)),
    history: async (uri, query) => (await waiting(), journal.history(uri, query)),
    ofCall: async (callId) => (await waiting(), journal.ofCall(callId)),
    get: async (id) => (await waiting(), journal.get(id)),
    pruned: async (uri, query) => (await waiting(), journal.pruned(uri, query)),
  };
}

function createAssets({ update, prune: _, ...table }: AssetTable, budget: Budget, mount: string): Assets {
  return {
    ...table,
    async find(agent, path) {
      const [found, { pins }] = [await table.read(agent, path), await budget.status(agent)];
      const uri = formatAddress({ mount, path });
      return found && { ...found, pinned: pins.some((pin) => pin.uri === uri && pin.owner === found.owner) };
    },
    async change(path, { text, fields: { pinned, ...details } = {}, ...edit }, actor) {
      const change = { ...(text !== undefined && { text }), ...(pinned !== undefined && { pinned }), details };
      await update(path, change, { agent: actor.agent, actor, ...edit });
    },
  };
}

const DAY_MS = 86_400_000;
/** Nobody asks after a day whether a commit took place. */
const KEY_HOURS = 24;

/** The states of assets go with the days of the journal, but never one that a context still shows. */
async function prune(
  database: Database,
  assets: AssetTable,
  retention: Retention,
  options: PruneOptions = {},
): Promise<PrunedRows> {
  const pruned = await pruneStore(database, retention, options);
  if (options.dryRun === true) return pruned;
  await forgetKeys(database, KEY_HOURS);
  const days = retention.journal?.days;
  if (days === undefined) return pruned;
  const now = options.now ?? (await storeTime(database));
  const { rows: shown } = await database.query<{ owner: string; version: string }>(
    "select owner, version from pin where behind and version ~ '^[0-9]+$'",
  );
  await assets.prune(new Date(now.getTime() - days * DAY_MS), shown);
  return pruned;
}
