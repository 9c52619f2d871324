import { randomUUID } from "node:crypto";
import { type ConversationStore, type Manifest, type Message, titleOf } from "@ikigai/agent";
import { formatAddress, messageOf } from "@ikigai/core";
import type { Audit, CallIntent } from "@ikigai/core/host";
import { type Database, migrate, type MigrationSet, openDatabase } from "@ikigai/database";
import {
  type Assets,
  type BlockStore,
  type AuditRow,
  type BudgetGuard,
  createAudit,
  type Journal,
  type Pins,
} from "@ikigai/memory";
import type { NoteIndexStore, NoteRow, NoteRowCodec, NoteVectorStore } from "@ikigai/notes";
import type { RecallStore } from "@ikigai/recall";
import {
  type AssetDetails,
  type AssetStore,
  assetChangeStream,
  assetMigrations,
  createAssetStore,
  postgresAssetSource,
} from "@ikigai/source-postgres";
import {
  createAssetHook,
  createBlockBudget,
  createBlockStore,
  createBudget,
  createConversations,
  createJournal,
  type ApprovalRequests,
  createApprovalRequests,
  createNoteRows,
  createNoteVectors,
  createStreamCursors,
  databaseSink,
  type PrunedRows,
  type PruneOptions,
  readRefused,
  type RefusedRows,
  type Retention,
  storeMigrations,
  type StreamCursors,
  takeInJournal,
  takeInSpool,
} from "@ikigai/store-postgres";
import { countTokens } from "../tokens/count-tokens.ts";
import { notInstalled, type PartModules } from "../parts/features.ts";
import type { RecallConfig } from "../configuration/recall-config.ts";
import { createAnnouncedActs } from "./announced-acts.ts";
import { forward } from "./forward.ts";
import { openRecall } from "./open-recall.ts";
import { pruneAll } from "./prune-all.ts";
import { createRefusalReport } from "./refusal-report.ts";
import { storeFolder } from "./store-folder.ts";

/** Where the store lies: a folder of this machine, or a server. */
export type StoreLocation = { readonly directory: string } | { readonly url: string };

export interface OpenStoreOptions {
  readonly location: StoreLocation;
  readonly assetMount: string;
  readonly owner: string;
  /** Tells workspaces apart. */
  readonly workspace: string;
  /** Tokens that an agent's pins may have in all. */
  readonly budget?: number;
  /** Whether `/compact` is offered, so that a refusal may advise it. Default false. */
  readonly canCompact?: boolean;
  /** Whether changes are written down. */
  readonly journal: boolean;
  /** Whether the only act of a call is one change that the journal announces. Default: it is not. */
  readonly isAnnounced?: (call: CallIntent) => boolean;
  /** Audit rows of commands that needed no store. */
  readonly spool: string;
  /** Journal entries of times without a store. */
  readonly journalFile: string;
  readonly recall?: RecallConfig;
  /** Whether entries get their vectors while the store is open. Default false. */
  readonly background?: boolean;
  /** Receives a message when something takes a while, such as making the store. */
  readonly notify?: (message: string) => void;
  /** Receives failures of work that nobody waits for. */
  readonly warn?: (message: string) => void;
}

type Recall = PartModules["@ikigai/recall"];

/** A store: everything that outlives the process. */
export interface Store {
  readonly database: Database;
  readonly assets: AssetStore;
  readonly assetSource: ReturnType<typeof postgresAssetSource>;
  readonly assetIndex: Assets;
  /** What other programs do to the owner's assets. */
  readonly assetChanges: ReturnType<typeof assetChangeStream>;
  readonly cursors: StreamCursors;
  readonly blocks: BlockStore;
  readonly guard: BudgetGuard;
  readonly pins: Pins;
  readonly journal: Journal;
  readonly audit: Audit;
  /** Writes down a call whose act was never announced. */
  keepHeld(callId: string): Promise<void>;
  readonly approvals: ApprovalRequests;
  /** Takes in the rows of commands that needed no store. */
  takeInAudit(): Promise<void>;
  /** Rows and entries that the store did not take, by the files that they are set aside in. */
  refused(): Promise<readonly RefusedRows[]>;
  /** Lets go of what the user no longer wants to keep. */
  prune(retention: Retention, options?: PruneOptions): Promise<PrunedRows>;
  readonly conversations: ConversationStore;
  readonly recall: RecallStore;
  /** Rows of the index over this workspace's notes. */
  noteRows(codec: NoteRowCodec): NoteIndexStore;
  readonly noteVectors: NoteVectorStore;
  readonly countTokens: (text: string) => number;
  close(): Promise<void>;
}

function migrationsWith(recall: Recall | undefined): readonly MigrationSet[] {
  const own = [assetMigrations, storeMigrations];
  return recall === undefined ? own : [...own, { name: "recall", migrations: recall.recallMigrations }];
}

/** Wires the durable parts together. Contract: connects, starts a keeper and migrates when it is first used. */
export function openStore(options: OpenStoreOptions, recall: Recall | undefined): Store {
  const { location, assetMount } = options;
  const plain = openDatabase("directory" in location ? { directory: storeFolder(location.directory) } : location);
  const database = migrated(plain, migrationsWith(recall));
  const budget = createBudget(database, {
    canCompact: options.canCompact ?? false,
    ...(options.budget !== undefined && { limit: options.budget }),
  });
  const journal = createJournal(database);
  const hook = createAssetHook({ mount: assetMount, budget, ...(options.journal && { journal }) });
  const services = { database, countTokens, hooks: [hook], program: randomUUID() };
  const assets = createAssetStore(database, services);
  const blockBudget = createBlockBudget(budget, { countTokens });
  let taking: Promise<unknown> = Promise.resolve();
  let taken = false;
  const refused = createRefusalReport(options.warn);
  const takeInAudit = async (): Promise<void> => {
    taken = true;
    const { onRefused, report } = refused("audit rows", options.spool);
    await (taking = taking.catch(() => {}).then(() => takeInSpool(database, options.spool, { onRefused })));
    report();
  };
  let takenJournal: Promise<unknown> | undefined;
  const keepRow = async (row: AuditRow): Promise<void> => {
    // Rows that wait from earlier are taken in beside it, once: nothing that happens to them concerns this row.
    if (!taken) takeInAudit().catch((error: unknown) => options.warn?.(`audit rows wait: ${messageOf(error)}`));
    await databaseSink(database)(row);
  };
  const announced = createAnnouncedActs({ database, journal, keepRow, ...(options.warn && { warn: options.warn }) });
  const direct = createAudit(keepRow);
  const held = createAudit(announced.hold);
  const takeInWaitingJournal = async (): Promise<void> => {
    const { onRefused, report } = refused("journal entries", options.journalFile);
    try {
      await takeInJournal(database, options.journalFile, { onRefused });
    } catch (error) {
      takenJournal = undefined;
      throw error;
    }
    report();
  };
  const wholeJournal = async (): Promise<Journal> => {
    takenJournal ??= takeInWaitingJournal();
    await takenJournal;
    return announced.journal;
  };
  const archive = recall && openRecall(database, options, recall);
  return {
    refused: () => readAllRefused(options),
    database,
    assets,
    assetSource: postgresAssetSource(services),
    assetIndex: {
      list: (agent, prefix, listOptions) => assets.list(agent, prefix, listOptions),
      async find(agent, path) {
        const [found, { pins }] = [await assets.read(agent, path), await budget.status(agent)];
        const uri = formatAddress({ mount: assetMount, path });
        return found && { ...found, pinned: pins.some((pin) => pin.uri === uri && pin.owner === found.owner) };
      },
      async change(path, { text, fields: { pinned, ...details } = {}, ...edit }, actor) {
        const update = { ...(text !== undefined && { text }), ...(pinned !== undefined && { pinned }) };
        const change = { agent: actor.agent, actor, ...edit };
        await assets.update(path, { ...update, details: details as AssetDetails }, change);
      },
    },
    assetChanges: assetChangeStream(services),
    cursors: createStreamCursors(database),
    blocks: createBlockStore(database, blockBudget),
    guard: blockBudget.guard,
    pins: {
      status: (agent) => budget.status(agent),
      setLimit: (agent, tokens) => budget.setLimit(agent, tokens),
    },
    journal: forward(wholeJournal),
    audit: {
      intent: (call) => (options.isAnnounced?.(call) === true ? held : direct).intent(call),
      outcome: (call) => direct.outcome(call),
    },
    keepHeld: announced.keep,
    takeInAudit,
    approvals: createApprovalRequests(database),
    prune: (retention, pruneOptions) => pruneAll(database, assets, retention, pruneOptions),
    conversations: createConversations<Message, Manifest>(database, { titleOf }),
    recall: archive?.store ?? forward<RecallStore>(() => Promise.reject(notInstalled("recall"))),
    noteRows: (codec) => createNoteRows<NoteRow>(database, options.workspace, codec),
    noteVectors: createNoteVectors(database, options.workspace),
    countTokens,
    async close() {
      await announced.settled();
      await archive?.[Symbol.asyncDispose]();
      await plain.close();
    },
  };
}

/** Contract: opens no store. */
export async function readAllRefused({
  spool,
  journalFile,
}: Pick<OpenStoreOptions, "spool" | "journalFile">): Promise<readonly RefusedRows[]> {
  const found = await Promise.all([readRefused(spool), readRefused(journalFile)]);
  return found.filter((one) => one !== undefined);
}

/** No such table, no such schema. */
const NO_TABLES: ReadonlySet<string> = new Set(["42P01", "3F000"]);

/**
 * A database whose tables are there: the first statement waits for the migrations, and a failed try is made again.
 * Its status can be had without.
 */
function migrated(database: Database, sets: readonly MigrationSet[]): Database {
  let ready: Promise<unknown> | undefined;
  const whenReady = async (): Promise<void> => {
    ready ??= migrate(database, sets);
    try {
      await ready;
    } catch (error) {
      ready = undefined;
      throw error;
    }
  };
  /** A store that was removed while this program ran is a new one by now: it gets its tables, once. */
  const withTables = async <T>(work: () => Promise<T>): Promise<T> => {
    await whenReady();
    try {
      return await work();
    } catch (error) {
      if (!NO_TABLES.has(((error as Error).cause as { code?: string } | undefined)?.code ?? "")) throw error;
      ready = undefined;
      await whenReady();
      return work();
    }
  };
  return {
    ...database,
    query: (text, values) => withTables(() => database.query(text, values)),
    transaction: (work, transactionOptions) => withTables(() => database.transaction(work, transactionOptions)),
  };
}
