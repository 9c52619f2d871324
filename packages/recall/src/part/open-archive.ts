import { IkigaiError } from "@ikigai/core";
import { type Embedder, type StoreTables, withHint } from "@ikigai/core/host";
import type { RecallStore } from "../contract.ts";
import { recallMigrations } from "../postgres/migrations.ts";

/** The archive of a host. Contract: costs nothing until it is used; reads make no store. */
export interface Archive extends Omit<RecallStore, "embedding"> {
  /** The archive in its database. Contract: opens it. */
  open(): Promise<RecallStore>;
}

export interface ArchiveOptions {
  readonly languages?: readonly string[] | undefined;
  readonly embedder?: Embedder | undefined;
  readonly warn: (message: string) => void;
}

/** A local model works in this process, so little is given to it at a time and others are served in between. */
const BACKGROUND_BATCH = 8;

/** The archive, and what gives its entries their vectors until `signal` aborts. */
export interface OpenedArchive {
  readonly archive: Archive;
  follow(signal: AbortSignal): Promise<void>;
}

/** Contract: to be called before the store is opened, since the tables of the archive are made with the others. */
export function openArchive(tables: StoreTables, { languages, embedder, warn }: ArchiveOptions): OpenedArchive {
  tables.add({ name: "recall", migrations: recallMigrations });
  const { exists } = tables;
  let nudge = (): void => {};
  let opened: Promise<RecallStore> | undefined;
  // What one command of many needs is loaded when it is needed.
  const openStore = async (): Promise<RecallStore> => {
    const { createPostgresRecall } = await import("../postgres/postgres-recall.ts");
    return createPostgresRecall(await tables.open(), {
      ...(languages !== undefined && { languages }),
      ...(embedder !== undefined && { embedder }),
    });
  };
  const open = (): Promise<RecallStore> => {
    opened ??= openStore().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    archive: {
      open,
      async insert(entries, call) {
        const inserted = await (await open()).insert(entries, call);
        nudge();
        return inserted;
      },
      async mirror(texts, call) {
        await (await open()).mirror(texts, call);
        nudge();
      },
      search: async (request, call) => ((await exists()) ? (await open()).search(request, call) : []),
      async get(id, call) {
        if (!(await exists())) throw noEntry(id);
        return (await open()).get(id, call);
      },
      async history(id, call) {
        if (!(await exists())) throw noEntry(id);
        return (await open()).history(id, call);
      },
      erase: async (id, by, call) => (await open()).erase(id, by, call),
      unmirror: async (addresses, call) => (await open()).unmirror(addresses, call),
      copies: async (kind, call) => ((await exists()) ? (await open()).copies(kind, call) : new Map()),
      scan: async (scanned, call) => ((await exists()) ? (await open()).scan(scanned, call) : []),
      async status(call) {
        if (await exists()) return (await open()).status(call);
        return embedder === undefined ? { entries: 0 } : { entries: 0, embedded: 0, model: embedder.id };
      },
    },
    async follow(signal) {
      const aborted = untilAborted(signal);
      await Promise.race([tables.whenOpened, aborted]);
      if (signal.aborted) return;
      const { embedding } = await open();
      if (embedding === undefined) return;
      const { keepEmbedding } = await import("../embed/keep-embedding.ts");
      const kept = keepEmbedding(embedding, {
        batch: embedder?.batch ?? BACKGROUND_BATCH,
        onFailure(error) {
          const { message, hint } = error as { message: string; hint?: string };
          warn(`entries are not embedded for now: ${withHint(message, hint)}`);
        },
      });
      nudge = kept.nudge;
      await aborted;
      nudge = () => {};
      await kept[Symbol.asyncDispose]();
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function noEntry(id: string): IkigaiError {
  return new IkigaiError("not_found", `There is no recall entry ${JSON.stringify(id.slice(0, 40))}`, {
    hint: "Use an id that a search shows.",
  });
}
