import { dirname } from "node:path";
import type { ConversationStore } from "@ikigai/agent";
import { type TextFeatures, type TextReader, type DataBlockDefinition, defineDataBlock, messageOf } from "@ikigai/core";
import type { Audit } from "@ikigai/core/host";
import {
  type Assets,
  type BlockStore,
  type BudgetGuard,
  createAudit,
  fileSink,
  type Journal,
  type Pins,
} from "@ikigai/memory";
import type { NoteIndexStore, NoteRowCodec, NoteVectorStore } from "@ikigai/notes";
import { makePrivateFolder } from "@ikigai/permission";
import type { RecallStore } from "@ikigai/recall";
import type { ApprovalRequests } from "@ikigai/store-postgres";
import { z } from "zod";
import { hasFeature, loadPart } from "../parts/features.ts";
import { createEmptyStore, type EmptyStore } from "./empty-store.ts";
import { forward } from "./forward.ts";
import type { OpenStoreOptions, Store } from "./open-store.ts";
import { tellOfDropped } from "./tell-of-dropped.ts";
import { storeExists } from "./store-folder.ts";

/** The store's parts, none of which costs anything until it is used. */
export interface LazyStore {
  readonly blocks: BlockStore;
  readonly guard: BudgetGuard;
  readonly pins: Pins;
  readonly assetIndex: Assets;
  readonly journal: Journal;
  readonly audit: Audit;
  readonly approvals: ApprovalRequests;
  readonly conversations: ConversationStore;
  readonly recall: RecallStore;
  /** Absent: nothing keeps them. */
  readonly noteRows: ((codec: NoteRowCodec) => NoteIndexStore) | undefined;
  readonly noteVectors: NoteVectorStore | undefined;
  readonly assetSource: DataBlockDefinition<{ owner: string }, "write" | "remove" | "watch" | "history">;
  /** The store itself. Contract: opens it. */
  open(): Promise<Store>;
  /** Whether there is a store already, here or at its address. Contract: makes and opens none. */
  exists(): Promise<boolean>;
  readonly opened: boolean;
  /** The file of audit rows that no store has yet. */
  readonly spool: string;
  /** The store, once somebody needed it. Contract: opens nothing. */
  readonly whenOpened: Promise<Store>;
  close(): Promise<void>;
}

/**
 * Contract: a command that only reads starts no store: while there is none, reads are answered as an empty one would,
 * and audit rows wait in `spool`. The first change, pin or conversation makes it.
 */
export function createLazyStore(options: OpenStoreOptions, warn: (message: string) => void): LazyStore {
  let store: Promise<Store> | undefined;
  const load = async (): Promise<Store> => {
    if ("directory" in options.location) {
      if (!(await storeExists(options.location)))
        options.notify?.(`Making the store in ${options.location.directory}, once. This takes a few seconds …`);
      await makePrivateFolder(options.location.directory);
    }
    const recall = hasFeature("recall") ? await loadPart("@ikigai/recall", "recall") : undefined;
    return (await import("./open-store.ts")).openStore(options, recall);
  };
  let tell: (opened: Promise<Store>) => void;
  const whenOpened = new Promise<Store>((resolve) => (tell = resolve));
  const open = (): Promise<Store> => {
    if (store === undefined) {
      store = load();
      // A failure is reported to whoever opened the store; others go on waiting for it.
      store.then(
        (opened) => tell(Promise.resolve(opened)),
        () => {},
      );
    }
    return store;
  };
  const exists = async (): Promise<boolean> => store !== undefined || storeExists(options.location);
  const empty = createEmptyStore(options);
  const part = <K extends Exclude<keyof EmptyStore, "noteRows">>(name: K): Store[K] =>
    forward<Store[K]>(async () => (await open())[name], { isThere: exists, empty: empty[name] });
  const assetIndex = part("assetIndex");
  return {
    open,
    exists,
    spool: options.spool,
    whenOpened,
    get opened() {
      return store !== undefined;
    },
    blocks: part("blocks"),
    guard: async (pinned) => (await open()).guard(pinned),
    pins: part("pins"),
    assetIndex: {
      async *list(...given) {
        if (await exists()) yield* (await open()).assetIndex.list(...given);
      },
      find: (...given) => assetIndex.find(...given),
      change: (...given) => assetIndex.change(...given),
    },
    journal: part("journal"),
    audit: createSplitAudit(options, { open, exists, opened: () => store !== undefined, warn }),
    approvals: part("approvals"),
    conversations: part("conversations"),
    recall: part("recall"),
    noteRows: (codec) =>
      forward(async () => (await open()).noteRows(codec), { isThere: exists, empty: empty.noteRows }),
    noteVectors: part("noteVectors"),
    assetSource: lazyAssets(open, exists, options.owner),
    async close() {
      const opened = await store;
      await opened?.takeInAudit().catch((error: unknown) => warn(`audit rows wait in a file: ${messageOf(error)}`));
      await opened?.close();
    },
  };
}

/** The asset source, opened when something asks for an asset. */
function lazyAssets(
  open: () => Promise<Store>,
  exists: () => Promise<boolean>,
  owner: string,
): LazyStore["assetSource"] {
  return defineDataBlock<{ owner: string }, "write" | "remove" | "watch" | "history">({
    name: "PostgresAssetSource",
    capabilities: ["write", "remove", "watch", "history"],
    options: z.strictObject({ owner: z.string().default(owner) }),
    guidance: (mount) =>
      `Stored assets live at ${mount}:/// and belong to you, not to one project: patterns you use everywhere, preferences, ` +
      "skills. Pinned ones stay in your context and count against a budget of tokens. When in doubt, ask the user where to save.",
    async open(options, host) {
      let source: Promise<TextReader & TextFeatures> | undefined;
      const load = (): Promise<TextReader & TextFeatures> =>
        (source ??= open().then(({ assetSource }) => assetSource.open(options, host)));
      return {
        read: async (path, call) => ((await exists()) ? (await load()).read(path, call) : undefined),
        async *list(prefix, call) {
          if (await exists()) yield* (await load()).list(prefix, call);
        },
        write: async (path, text, call) => (await load()).write(path, text, call),
        remove: async (path, call) => (await load()).remove(path, call),
        async *watch(call) {
          yield* (await load()).watch(call);
        },
        async *history(path, call) {
          if (await exists()) yield* (await load()).history(path, call);
        },
        async close() {
          await (await source)?.close?.();
        },
      };
    },
  });
}

interface SplitAuditHost {
  readonly open: () => Promise<Store>;
  readonly exists: () => Promise<boolean>;
  readonly opened: () => boolean;
  readonly warn: (message: string) => void;
}

/** Rows that wait in the file before they are taken in meanwhile. */
const TAKE_IN_EVERY = 500;

/**
 * The row of an act is in the store before the act. Rows of plain reads, and of how a call ended, go to the end of a file,
 * which costs a fraction of a transaction, and are taken in later. Whoever switched the journal off can change files
 * without a store, so the rows of acts are in that file then, synced.
 *
 * Contract: an act whose row cannot be kept is not done. A read whose row cannot be kept goes on, and the operator is
 * told once.
 */
function createSplitAudit(
  { spool, journal }: Pick<OpenStoreOptions, "spool" | "journal">,
  { open, exists, opened, warn }: SplitAuditHost,
): Audit {
  let spooled: Promise<Audit | undefined> | undefined;
  let rows = 0;
  const openSpool = async (sync: boolean): Promise<Audit> => {
    await makePrivateFolder(dirname(spool));
    const bounds = { onFull: () => void takeIn(), onDropped: tellOfDropped(warn) };
    return createAudit(fileSink(spool, { sync, ...bounds }));
  };
  /** Takes the waiting rows into the store. A failure is not reported: it is tried again later. */
  const takeIn = async (): Promise<void> => {
    if (await exists())
      await open().then(
        ({ takeInAudit }) => takeInAudit().catch(() => {}),
        () => {},
      );
  };
  const acts = async (): Promise<Audit> => (journal ? (await open()).audit : openSpool(true));
  const spooling = async (): Promise<Audit | undefined> => {
    spooled ??= openSpool(false).catch((error: unknown) => {
      warn(`reads are not audited: ${messageOf(error)}`);
      return undefined;
    });
    rows++;
    if (opened() && rows % TAKE_IN_EVERY === 0) void takeIn();
    return spooled;
  };
  return {
    async intent(call) {
      const act = call.verdicts.some(({ effect }) => effect.action !== "read");
      await (await (act ? acts() : spooling()))?.intent(call);
    },
    async outcome(call) {
      try {
        // A store that could not be opened holds nothing.
        const store = opened() ? await open().catch(() => undefined) : undefined;
        await store?.keepHeld(call.callId);
      } finally {
        await (await spooling())?.outcome(call);
      }
    },
  };
}
