import { type Actor, type BlockInfo, type TextRevision, IkigaiError, type MemoryPermission } from "@ikigai/core";
import type { BlockEdit, BlockType } from "@ikigai/core/host";
import { assertNoNul } from "../text/assert-no-nul.ts";
import type { BlockOperations } from "./block-operations.ts";
import { atState, type BlockDocument, frontiersOf, textOf, versionOf } from "./document/block-document.ts";
import { type BlockSharing, createBlockSharing } from "./block-sharing.ts";
import { type BlockViews, createBlockViews } from "./block-views.ts";
import { applyEdit } from "./edits/apply-edit.ts";
import { assertBlockSchema, assertOperation, type BlockSchema, leavesOf } from "./block-schema.ts";
import type { LeafState } from "./document/block-state.ts";
import type { Change } from "./document/open-documents.ts";
import type { BlockRecord } from "./block-store.ts";
import { isStep, stepThrough, withStep } from "./undo.ts";

export interface BlockDefinition {
  readonly label: string;
  readonly type: BlockType;
  readonly schema: BlockSchema;
  /** How far the block's owner may change it. Default `admin`. */
  readonly permission?: MemoryPermission;
  readonly description?: string;
  /**
   * The block's first content, by section, or under `content` when it has no sections. Default: the schema's
   * defaults.
   */
  readonly initial?: Readonly<Record<string, LeafState>>;
}

/** What can be done with a block whatever it holds and wherever it comes from. */
export interface BlockContents extends BlockViews, BlockSharing {
  /** Gives the acting agent a new block. Contract: `conflict` when it has one of that label. */
  define(definition: BlockDefinition, actor: Actor): Promise<BlockInfo>;
  info(place: string, actor: Actor): Promise<BlockInfo>;
  list(actor: Actor): Promise<readonly BlockInfo[]>;
  edit(place: string, edit: BlockEdit, actor: Actor): Promise<BlockInfo>;
  /** The text before and after an edit that is not made. Contract: throws what the edit would throw. */
  previewEdit(
    place: string,
    edit: BlockEdit,
    actor: Actor,
  ): Promise<{ readonly before: string; readonly after: string }>;
  text(place: string, actor: Actor): Promise<string>;
  /** Working becomes archival. */
  archive(place: string, actor: Actor): Promise<BlockInfo>;
  /** Newest first. `limit` defaults to 20. */
  history(place: string, actor: Actor, limit?: number): Promise<readonly TextRevision[]>;
}

const HISTORY = 20;
const MAX_LABEL = 512;

export function createBlockContents(operations: BlockOperations): BlockContents {
  const { store, shelf } = operations;
  return {
    define: (definition, actor) => define(operations, definition, actor),
    info: async (place, actor) => operations.infoOf(await operations.get(place, actor), actor),
    async list(actor) {
      const visible = await store.list(actor.agent);
      return Promise.all(visible.map((one) => operations.infoOf(one, actor)));
    },
    async edit(place, edit, actor) {
      const visible = await operations.get(place, actor);
      const action = edit.op === "append" ? "append" : "update";
      const changed = await operations.change(visible, actor, {
        action,
        work: (document, record) => applyTo(document, record, edit, operations.now()),
      });
      return operations.infoOf(changed, actor);
    },
    async previewEdit(place, edit, actor) {
      const { record } = await operations.get(place, actor);
      return shelf.read(record, (document) => {
        const after = atState(document, frontiersOf(document), (copy) => {
          applyTo(copy, record, edit, operations.now());
          return textOf(copy);
        });
        return { before: textOf(document), after };
      });
    },
    text: async (place, actor) => shelf.read((await operations.get(place, actor)).record, textOf),
    ...createBlockViews(operations),
    async archive(place, actor) {
      const visible = await operations.get(place, actor);
      const archived = await operations.change(visible, actor, {
        action: "update",
        work(_, { label, type }) {
          if (type !== "working") throw notWorking(label, type);
          return { operation: "archive", set: { type: "archival" } };
        },
      });
      return operations.infoOf(archived, actor);
    },
    ...createBlockSharing(operations),
    async history(place, actor, limit = HISTORY) {
      const { record } = await operations.get(place, actor);
      const rows = await store.history(record.id, limit);
      return shelf.read(record, (document) =>
        rows.map(({ at, agent, operation, frontiers }) => ({
          version: versionOf(frontiers),
          at,
          text: atState(document, frontiers, textOf),
          author: agent,
          message: operation,
        })),
      );
    },
  };
}

async function define(operations: BlockOperations, definition: BlockDefinition, actor: Actor): Promise<BlockInfo> {
  const { label, type, schema, permission = "admin", description, initial = {} } = definition;
  assertLabel(label);
  assertBlockSchema(schema);
  assertInitial(schema, initial);
  assertNoNul(`The text of "${label}"`, initial);
  const record = { owner: actor.agent, label, type, schema, permission };
  const named = { ...record, ...(description !== undefined && { description }) };
  const made = await operations.create(named, new Map(Object.entries(initial)), "define");
  return operations.infoOf(made, actor);
}

function applyTo(document: BlockDocument, record: BlockRecord, edit: BlockEdit, now: Date): Change {
  assertOperation(record.label, record.schema.kind, edit.op);
  if (isStep(edit)) return { operation: edit.op, set: stepThrough(document, record, edit.op) };
  const before = frontiersOf(document);
  const text = textOf(document);
  applyEdit(document, edit, { label: record.label, now });
  if (text === textOf(document)) return { operation: edit.op };
  return { operation: edit.op, set: withStep(record, { before, after: frontiersOf(document) }) };
}

function assertLabel(label: string): void {
  // oxlint-disable-next-line no-control-regex -- a label is shown to people and is part of an address
  const good = /^[^\0-\x1f\\]+$/.test(label) && label.isWellFormed() && !label.split("/").includes("..");
  if (good && label.length <= MAX_LABEL) return;
  throw new IkigaiError("invalid_input", `${JSON.stringify(label.slice(0, 80))} cannot be the label of a block`, {
    hint: `Use 1 to ${MAX_LABEL} characters without control characters, backslashes and "..".`,
  });
}

function assertInitial(schema: BlockSchema, initial: Readonly<Record<string, LeafState>>): void {
  const kinds = new Map(leavesOf(schema).map(({ name, schema: leaf }) => [name, leaf.kind]));
  for (const [name, value] of Object.entries(initial)) {
    const kind = typeof value === "string" ? "text" : Array.isArray(value) ? "list" : "map";
    const wanted = kinds.get(name);
    if (wanted === kind || (wanted === "log" && kind === "list")) continue;
    throw new IkigaiError("invalid_input", `"${name}" cannot begin as a ${kind}: it is ${wanted ?? "not there"}`);
  }
}

function notWorking(label: string, type: BlockType): IkigaiError {
  return new IkigaiError("unsupported", `"${label}" is a block of type ${type}, and only working blocks are archived`);
}
