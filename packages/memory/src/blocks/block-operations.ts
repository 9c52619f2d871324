import { randomUUID } from "node:crypto";
import type { Action, Actor, BlockInfo } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import { countLines } from "@ikigai/core/text";
import { assertPermitted, findBlock, noBlock, permissionFor } from "./block-access.ts";
import {
  type BlockDocument,
  createBlockDocument,
  digestOf,
  frontiersOf,
  textOf,
  versionOf,
} from "./document/block-document.ts";
import type { BlockSchema } from "./block-schema.ts";
import { type OpenDocuments, type Change, createOpenDocuments } from "./document/open-documents.ts";
import type { BlockState } from "./document/block-state.ts";
import type { BlockRecord, BlockStore, NewBlock, VisibleBlock } from "./block-store.ts";
import { loadLibraries } from "./document/libraries.ts";
import { isModified } from "./sources/reconcile.ts";

/** Judges a text that is or will be pinned in an agent's context. Contract: throws `over_budget` to refuse it. */
export type BudgetGuard = (pinned: {
  readonly agent: string;
  readonly label: string;
  readonly text: string;
}) => Promise<void>;

export interface BlocksOptions {
  readonly sources: SourceManager;
  readonly store: BlockStore;
  /** Default: the machine's. */
  readonly clock?: () => Date;
  /** Default: random. */
  readonly newId?: () => string;
  /** Budget that is asked before a block is pinned and before a pinned block is edited. Default: everything fits. */
  readonly guard?: BudgetGuard;
  /** Receives warnings for the operator, such as a damaged snapshot. Default: they are dropped. */
  readonly warn?: (message: string) => void;
  /** How many documents stay open in memory. Default 256. */
  readonly keepOpen?: number;
  /** Changes after which a document is stored as one snapshot. Default 64. */
  readonly compactAfter?: number;
}

export interface ChangeOptions {
  /**
   * Action that the block's permission must allow. Absent: the host itself makes the change, and no permission is
   * needed.
   */
  readonly action?: Action;
  readonly work: (document: BlockDocument, record: BlockRecord) => Change | undefined;
}

/** What every operation on blocks is made of. */
export interface BlockOperations {
  readonly sources: SourceManager;
  readonly store: BlockStore;
  readonly shelf: OpenDocuments;
  now(): Date;
  find(place: string, actor: Actor): Promise<VisibleBlock | undefined>;
  /** Contract: throws `not_found`. */
  get(place: string, actor: Actor): Promise<VisibleBlock>;
  infoOf(visible: VisibleBlock, actor: Actor): Promise<BlockInfo>;
  change(visible: VisibleBlock, actor: Actor, options: ChangeOptions): Promise<VisibleBlock>;
  create(
    record: Omit<NewBlock["record"], "id" | "origin" | "schema"> & { readonly schema: BlockSchema },
    initial: BlockState,
    operation: string,
    origin?: { readonly uri: string; readonly version: string },
  ): Promise<VisibleBlock>;
  assertFits(agent: string, label: string, text: string): Promise<void>;
}

export function createBlockOperations(options: BlocksOptions): BlockOperations {
  const { sources, store, clock = () => new Date(), newId = randomUUID, guard, warn } = options;
  const shelf = createOpenDocuments(store, {
    ...(options.keepOpen !== undefined && { keep: options.keepOpen }),
    ...(options.compactAfter !== undefined && { compactAfter: options.compactAfter }),
    ...(warn !== undefined && { warn }),
  });
  const assertFits = async (agent: string, label: string, text: string): Promise<void> =>
    guard?.({ agent, label, text });

  const get = async (place: string, actor: Actor): Promise<VisibleBlock> => {
    const found = await findBlock(place, actor, store, sources);
    if (found === undefined) throw noBlock(place);
    return found;
  };

  return {
    sources,
    store,
    shelf,
    now: clock,
    find: (place, actor) => findBlock(place, actor, store, sources),
    get,
    assertFits,
    async infoOf(visible, { agent }) {
      const { record } = visible;
      const { pinned } = await store.view(agent, record.id);
      return shelf.read(record, (document) => toInfo(visible, document, pinned, permissionFor(visible, sources)));
    },
    async change(visible, actor, { action, work }) {
      const { id, label } = visible.record;
      const { shared } = visible;
      const find = async (): Promise<BlockRecord> => {
        const fresh = (await store.find(actor.agent, label)).find(({ record }) => record.id === id);
        if (fresh === undefined) throw noBlock(label);
        if (action !== undefined) assertPermitted(label, permissionFor(fresh, sources), action);
        return fresh.record;
      };
      const check = async (document: BlockDocument): Promise<void> => {
        const { pinned } = await store.view(actor.agent, id);
        if (pinned && action !== undefined) await assertFits(actor.agent, label, textOf(document));
      };
      const record = await shelf.change(id, { agent: actor.agent, now: clock(), find, work, check });
      return { record, ...(shared !== undefined && { shared }) };
    },
    async create(fields, initial, operation, origin) {
      await loadLibraries();
      const document = createBlockDocument(fields.schema, initial);
      const frontiers = frontiersOf(document);
      const record = await store.create({
        record: {
          ...fields,
          id: newId(),
          ...(origin !== undefined && { origin: { ...origin, frontiers, digest: digestOf(textOf(document)) } }),
        },
        change: { at: clock(), agent: fields.owner, operation, frontiers },
        snapshot: document.doc.export({ mode: "snapshot" }),
      });
      shelf.keep(record, document);
      return { record };
    },
  };
}

function toInfo(
  { record }: VisibleBlock,
  document: BlockDocument,
  pinned: boolean,
  permission: BlockInfo["permission"],
): BlockInfo {
  const text = textOf(document);
  const { origin } = record;
  return {
    label: record.label,
    type: record.type,
    schema: record.schema.kind,
    permission,
    pinned,
    owner: record.owner,
    chars: text.length,
    lines: countLines(text),
    version: versionOf(frontiersOf(document)),
    undo: record.undo.length,
    redo: record.redo.length,
    ...(origin !== undefined && { origin: { uri: origin.uri, version: origin.version ?? "removed" } }),
    modified: origin !== undefined && isModified(document, origin),
  };
}
