import { join } from "node:path";
import { type ConversationStore, type Manifest, type Message, titleOf } from "@ikigai/agent";
import type { Audit } from "@ikigai/core";
import { type Database, migrate, type MigrationSet, openDatabase } from "@ikigai/database";
import type { Assets, BlockStore, BudgetGuard, Journal, Pins } from "@ikigai/memory";
import type { NoteIndexStore, NoteRow } from "@ikigai/notes";
import { createPostgresRecall, recallMigrations, type RecallStore } from "@ikigai/recall";
import { type AssetStore, assetMigrations, createAssetStore, postgresAssetSource } from "@ikigai/source-postgres";
import {
  createAssetHook,
  createAudit,
  createBlockBudget,
  createBlockStore,
  createBudget,
  createConversations,
  createJournal,
  createNoteRows,
  databaseSink,
  storeMigrations,
  takeInSpool,
} from "@ikigai/store-postgres";
import { createRedactor } from "@ikigai/shell";
import { redactShort } from "./redact-short.ts";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Where state lives. */
export type StoreLocation = { readonly directory: string } | { readonly url: string };

export interface OpenStoreOptions {
  readonly location: StoreLocation;
  readonly assetMount: string;
  readonly owner: string;
  /** Tells workspaces apart. */
  readonly workspace: string;
  /** Tokens that an agent's pins may have in all. */
  readonly budget?: number;
  /** Whether changes are written down. */
  readonly journal: boolean;
  /** Audit rows of commands that needed no store. */
  readonly spool: string;
}

/** Everything that lasts. */
export interface Store {
  readonly database: Database;
  readonly assets: AssetStore;
  readonly assetSource: ReturnType<typeof postgresAssetSource>;
  readonly assetIndex: Assets;
  readonly blocks: BlockStore;
  readonly guard: BudgetGuard;
  readonly pins: Pins;
  readonly journal: Journal;
  readonly audit: Audit;
  /** Takes in the rows of commands that needed no store. */
  takeInAudit(): Promise<void>;
  readonly conversations: ConversationStore;
  readonly recall: RecallStore;
  /** Rows of the index over this workspace's notes. */
  readonly noteRows: NoteIndexStore;
  readonly countTokens: (text: string) => number;
  close(): Promise<void>;
}

const MIGRATIONS: readonly MigrationSet[] = [
  assetMigrations,
  storeMigrations,
  { name: "recall", migrations: recallMigrations },
];

/** Wires the durable parts together. Contract: connects, starts a keeper and migrates when it is first used. */
export function openStore(options: OpenStoreOptions): Store {
  const { location, assetMount } = options;
  const plain = openDatabase("directory" in location ? { directory: join(location.directory, "postgres") } : location);
  const database = migrated(plain);
  const budget = createBudget(database, options.budget === undefined ? {} : { limit: options.budget });
  const journal = createJournal(database);
  const hook = createAssetHook({ mount: assetMount, budget, ...(options.journal && { journal }) });
  const services = { database, countTokens: count, hooks: [hook] };
  const assets = createAssetStore(database, services);
  const blockBudget = createBlockBudget(budget, { countTokens: count });
  const redactor = createRedactor();
  let taking: Promise<unknown> = Promise.resolve();
  let taken = false;
  const takeInAudit = async (): Promise<void> => {
    taken = true;
    await (taking = taking.catch(() => {}).then(() => takeInSpool(database, options.spool)));
  };
  const pathOf = (uri: string): string => uri.slice(uri.indexOf(":///") + 4);
  return {
    database,
    assets,
    assetSource: postgresAssetSource(services),
    assetIndex: {
      list: (agent, prefix) => assets.list(agent, prefix),
      setArchived: async (agent, path, archived) => void (await assets.describe(agent, path, { archived })),
    },
    blocks: createBlockStore(database, blockBudget),
    guard: blockBudget.guard,
    pins: {
      pin: (agent, uri) =>
        assets.withLocked(agent, pathOf(uri), (tx, { owner, tokens, version }) =>
          budget.pin(tx, { agent, uri, owner, tokens, version }),
        ),
      unpin: (agent, uri) => budget.unpin(agent, uri),
      status: (agent) => budget.status(agent),
      setLimit: (agent, tokens) => budget.setLimit(agent, tokens),
    },
    journal,
    audit: createAudit(
      async (row) => {
        // Rows that wait from earlier come first, once.
        await (taken ? taking : takeInAudit());
        await databaseSink(database)(row);
      },
      { redact: redactShort(redactor) },
    ),
    takeInAudit,
    conversations: createConversations<Message, Manifest>(database, { titleOf }),
    recall: createPostgresRecall(database),
    noteRows: createNoteRows<NoteRow>(database, options.workspace),
    countTokens: count,
    close: () => plain.close(),
  };
}

function count(text: string): number {
  return countTokens(text, { allowedSpecial: "all" });
}

/** A database whose tables are there: the first statement waits for the migrations, and a failed try is made again. */
function migrated(database: Database): Database {
  let ready: Promise<unknown> | undefined;
  const whenReady = async (): Promise<void> => {
    ready ??= migrate(database, MIGRATIONS);
    try {
      await ready;
    } catch (error) {
      ready = undefined;
      throw error;
    }
  };
  return {
    ...database,
    async query(text, values) {
      await whenReady();
      return database.query(text, values);
    },
    async transaction(work, transactionOptions) {
      await whenReady();
      return database.transaction(work, transactionOptions);
    },
    async status() {
      await whenReady();
      return database.status();
    },
  };
}
