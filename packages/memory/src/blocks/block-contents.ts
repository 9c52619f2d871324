import { type Actor, type BlockInfo, type TextRevision, IkigaiError, type MemoryPermission } from "@ikigai/core";
import { type BlockEdit, type BlockType, lowerPermission } from "@ikigai/core/host";
import { assertNoNul } from "../text/assert-no-nul.ts";
import { assertPermitted, permissionFor } from "./block-access.ts";
import type { BlockOperations } from "./block-operations.ts";
import { atState, type BlockDocument, frontiersOf, textOf, versionOf } from "./document/block-document.ts";
import { applyEdit } from "./edits/apply-edit.ts";
import { assertBlockSchema, assertOperation, type BlockSchema, leavesOf } from "./block-schema.ts";
import type { LeafState } from "./document/block-state.ts";
import type { Change } from "./document/open-documents.ts";
import type { BlockRecord, VisibleBlock, Viewport } from "./block-store.ts";
import { renderView } from "./render-block.ts";
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
export interface BlockContents {
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
  /** What the agent sees of it in its context: the lines of its viewport. */
  view(place: string, actor: Actor): Promise<string>;
  pin(place: string, actor: Actor): Promise<BlockInfo>;
  unpin(place: string, actor: Actor): Promise<BlockInfo>;
  /** Contract: only this agent's view changes; `undefined` shows the whole text again. */
  setViewport(place: string, viewport: Viewport | undefined, actor: Actor): Promise<BlockInfo>;
  /** Working becomes archival. */
  archive(place: string, actor: Actor): Promise<BlockInfo>;
  /**
   * Lets another agent see the block, and change it as far as `permission` says, never further than one's own.
   *
   * Contract: the owner may whatever the block's permission is; anybody else needs `admin`.
   */
  share(place: string, agent: string, permission: MemoryPermission, actor: Actor): Promise<BlockInfo>;
  unshare(place: string, agent: string, actor: Actor): Promise<BlockInfo>;
  /** Newest first. `limit` defaults to 20. */
  history(place: string, actor: Actor, limit?: number): Promise<readonly TextRevision[]>;
}

const HISTORY = 20;
const MAX_LABEL = 512;

export function createBlockContents(desk: BlockOperations): BlockContents {
  const { store, shelf, sources } = desk;

  function applyTo(document: BlockDocument, record: BlockRecord, edit: BlockEdit): Change {
    assertOperation(record.label, record.schema.kind, edit.op);
    if (isStep(edit)) return { operation: edit.op, set: stepThrough(document, record, edit.op) };
    const before = frontiersOf(document);
    const text = textOf(document);
    applyEdit(document, edit, { label: record.label, now: desk.now() });
    if (text === textOf(document)) return { operation: edit.op };
    return { operation: edit.op, set: withStep(record, { before, after: frontiersOf(document) }) };
  }

  async function setPinned(place: string, pinned: boolean, actor: Actor): Promise<BlockInfo> {
    const visible = await desk.get(place, actor);
    const { id, label } = visible.record;
    if (pinned) await desk.assertFits(actor.agent, label, await shelf.read(visible.record, textOf));
    await store.setView(actor.agent, id, { ...(await store.view(actor.agent, id)), pinned });
    return desk.infoOf(visible, actor);
  }

  async function manage(place: string, actor: Actor): Promise<VisibleBlock> {
    const visible = await desk.get(place, actor);
    // An owner needs no permission of the block's own to share it: that says how far the text is open.
    if (visible.shared !== undefined) {
      assertPermitted(visible.record.label, permissionFor(visible, sources), "admin");
    }
    return visible;
  }

  return {
    async define({ label, type, schema, permission = "admin", description, initial = {} }, actor) {
      assertLabel(label);
      assertBlockSchema(schema);
      assertInitial(schema, initial);
      assertNoNul(`The text of "${label}"`, initial);
      const record = { owner: actor.agent, label, type, schema, permission };
      const named = { ...record, ...(description !== undefined && { description }) };
      const made = await desk.create(named, new Map(Object.entries(initial)), "define");
      return desk.infoOf(made, actor);
    },
    info: async (place, actor) => desk.infoOf(await desk.get(place, actor), actor),
    async list(actor) {
      const visible = await store.list(actor.agent);
      return Promise.all(visible.map((one) => desk.infoOf(one, actor)));
    },
    async edit(place, edit, actor) {
      const visible = await desk.get(place, actor);
      const action = edit.op === "append" ? "append" : "update";
      const changed = await desk.change(visible, actor, {
        action,
        work: (document, record) => applyTo(document, record, edit),
      });
      return desk.infoOf(changed, actor);
    },
    async previewEdit(place, edit, actor) {
      const { record } = await desk.get(place, actor);
      return shelf.read(record, (document) => {
        const after = atState(document, frontiersOf(document), (copy) => {
          applyTo(copy, record, edit);
          return textOf(copy);
        });
        return { before: textOf(document), after };
      });
    },
    text: async (place, actor) => shelf.read((await desk.get(place, actor)).record, textOf),
    async view(place, actor) {
      const { record } = await desk.get(place, actor);
      const { viewport } = await store.view(actor.agent, record.id);
      return renderView(await shelf.read(record, textOf), viewport);
    },
    pin: (place, actor) => setPinned(place, true, actor),
    unpin: (place, actor) => setPinned(place, false, actor),
    async setViewport(place, viewport, actor) {
      const visible = await desk.get(place, actor);
      const { id } = visible.record;
      const { pinned } = await store.view(actor.agent, id);
      await store.setView(actor.agent, id, { pinned, ...(viewport !== undefined && { viewport }) });
      return desk.infoOf(visible, actor);
    },
    async archive(place, actor) {
      const visible = await desk.get(place, actor);
      const archived = await desk.change(visible, actor, {
        action: "update",
        work(_, { label, type }) {
          if (type !== "working") throw notWorking(label, type);
          return { operation: "archive", set: { type: "archival" } };
        },
      });
      return desk.infoOf(archived, actor);
    },
    async share(place, agent, permission, actor) {
      const visible = await manage(place, actor);
      const { id, owner, label } = visible.record;
      if (agent === owner)
        throw new IkigaiError("invalid_input", `"${label}" belongs to ${owner} already`, {
          hint: "Share it with another agent.",
        });
      const granted = lowerPermission(permission, permissionFor(visible, sources));
      await store.share(id, agent, granted);
      return desk.infoOf(visible, actor);
    },
    async unshare(place, agent, actor) {
      const visible = await manage(place, actor);
      const { id, label } = visible.record;
      if (!(await store.share(id, agent, undefined))) {
        throw new IkigaiError("not_found", `"${label}" is not shared with ${agent}`, {
          hint: "Check the name of the agent.",
        });
      }
      return desk.infoOf(visible, actor);
    },
    async history(place, actor, limit = HISTORY) {
      const { record } = await desk.get(place, actor);
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
