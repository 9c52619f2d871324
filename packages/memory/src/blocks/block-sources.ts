import { type Actor, type TextContent, type Blocks, type BlockStatus, IkigaiError, messageOf } from "@ikigai/core";
import { type ReconcileStrategy, requireCapability, type Route } from "@ikigai/core/host";
import { assertNoNul } from "../text/assert-no-nul.ts";
import { assertPermitted, labelOf, noBlock, permissionFor, tryRoute } from "./block-access.ts";
import type { BlockOperations } from "./block-operations.ts";
import { atState, digestOf, frontiersOf, textOf } from "./document/block-document.ts";
import { TEXT_SCHEMA } from "./block-schema.ts";
import type { BlockOrigin, BlockRecord, VisibleBlock } from "./block-store.ts";
import {
  type DecidedStrategy,
  isModified,
  questionOf,
  type ReconcileQuestion,
  reconcileWith,
  undecided,
} from "./reconcile.ts";
import { setText } from "./document/three-way.ts";
import { createUnifiedDiff } from "../text/unified-patch.ts";
import { withOriginStep, withStep } from "./undo.ts";

/** What became of one block when its source changed. */
export interface SourceChangeOutcome {
  readonly label: string;
  readonly owner: string;
  readonly outcome: "unchanged" | "reconciled" | "removed" | "failed";
  /** Why, when it failed. */
  readonly error?: string;
}

/** Blocks and the sources that their texts come from. */
export interface BlockSources extends Omit<Blocks, "edit" | "text"> {
  /**
   * Reconciles every loaded block whose text comes from `uri`, of whatever owner. For a host that hears of changes.
   *
   * Contract: never rejects for one block's sake; says what became of each.
   */
  onSourceChange(uri: string, strategy?: ReconcileStrategy): Promise<readonly SourceChangeOutcome[]>;
}

/** Decides when a block and its source both changed. `undefined` leaves both as they are. */
export type AskReconcile = (question: ReconcileQuestion, actor: Actor) => Promise<DecidedStrategy | undefined>;

export const STALE_SAVE = "file modified externally, use `file load` to refresh";

const STALE_HINT =
  "Look at the diff; then `file merge` brings the file and the block's edits together, or `file reload` takes the file " +
  "and drops the edits until you undo.";

const MAX_SAVES = 20;

type WithOrigin = BlockRecord & { readonly origin: BlockOrigin };

export interface BlockSourcesOptions {
  readonly ask?: AskReconcile;
  /** Default `refuse`. */
  readonly whenStale?: "refuse" | "merge";
}

export function createBlockSources(desk: BlockOperations, options: BlockSourcesOptions = {}): BlockSources {
  const { ask, whenStale = "refuse" } = options;
  const { sources, store, shelf } = desk;

  /** A block whose text has a source, and what that source holds now. */
  async function withSource(
    place: string,
    actor: Actor,
  ): Promise<{ visible: VisibleBlock; record: WithOrigin; route: Route }> {
    const visible = await desk.get(place, actor);
    const record = assertOrigin(visible.record);
    return { visible, record, route: sources.route(record.origin.uri) };
  }

  function routeOf(place: string): Route {
    try {
      return sources.route(place);
    } catch (error) {
      if (IkigaiError.is(error, "not_found") && !place.includes("://")) throw noBlock(place);
      throw error;
    }
  }

  const readSource = async ({ source, address }: Route, actor: Actor): Promise<TextContent | undefined> => {
    const found = await source.read(address.path, { actor });
    if (found === undefined) return undefined;
    const whole = found.text.isWellFormed();
    if (whole && !found.text.includes("\0")) return found;
    const what = whole ? "a NUL character" : "half of a surrogate pair";
    throw new IkigaiError("unsupported", `"${address.path}" is not text: it contains ${what}`, {
      hint: "Look at it with another program, or leave it out.",
    });
  };

  async function apply(
    visible: VisibleBlock,
    disk: TextContent | undefined,
    strategy: DecidedStrategy,
    actor: Actor,
    check = true,
  ): Promise<VisibleBlock> {
    return desk.change(visible, actor, {
      work(document, record) {
        const present = assertOrigin(record);
        if (check && strategy !== "merge" && isModified(document, present.origin)) {
          assertPermitted(record.label, permissionFor(visible, sources), "update");
        }
        return reconcileWith(document, present, disk, strategy);
      },
    });
  }

  async function decide(
    record: WithOrigin,
    disk: TextContent | undefined,
    strategy: ReconcileStrategy,
    actor: Actor,
  ): Promise<DecidedStrategy> {
    if (strategy !== "ask") return strategy;
    const { label, origin } = record;
    if (disk?.version === origin.version) return "merge";
    const question = await shelf.read(record, (document) =>
      isModified(document, origin) ? questionOf(document, label, origin.uri, disk?.text ?? "") : undefined,
    );
    if (question === undefined) return "merge";
    const decided = await ask?.(question, actor);
    if (decided === undefined) throw undecided(question);
    return decided;
  }

  async function refresh(visible: VisibleBlock, record: WithOrigin, actor: Actor): Promise<VisibleBlock> {
    const disk = await readSource(sources.route(record.origin.uri), actor);
    if (disk === undefined) throw removed(record);
    if (disk.version === record.origin.version) return visible;
    if (whenStale === "refuse" && (await shelf.read(record, (document) => isModified(document, record.origin)))) {
      throw new IkigaiError("conflict", `"${record.label}" has unsaved edits and ${record.origin.uri} changed`, {
        hint: STALE_HINT,
      });
    }
    return apply(visible, disk, "merge", actor);
  }

  /** Gives the source's text a block, or the block that it had. */
  async function adopt(route: Route, content: TextContent, operation: string, actor: Actor): Promise<VisibleBlock> {
    const label = labelOf(route);
    const origin = { uri: route.uri, version: content.version };
    const digest = digestOf(content.text);
    const find = async (): Promise<VisibleBlock | undefined> =>
      (await store.find(actor.agent, label)).find(({ shared }) => shared === undefined);
    let own = await find();
    if (own === undefined) {
      const record = { owner: actor.agent, label, type: "working", schema: TEXT_SCHEMA, permission: "admin" } as const;
      try {
        return await desk.create(record, new Map([["content", content.text]]), operation, origin);
      } catch (error) {
        // Another process may have loaded the same block first.
        own = await find();
        if (own === undefined) throw error;
      }
    }
    return desk.change(own, actor, {
      work(document, record) {
        const before = frontiersOf(document);
        setText(document.doc, "content", content.text);
        document.doc.commit();
        const frontiers = frontiersOf(document);
        const step = frontiers === before ? {} : withOriginStep(record, { before, after: frontiers });
        return { operation, set: { type: "working", origin: { ...origin, frontiers, digest }, ...step } };
      },
    });
  }

  /** The block of the text at `place`, if there is text, and if a block found by that name is the block of it. */
  async function adoptFrom(
    place: string,
    found: VisibleBlock | undefined,
    actor: Actor,
  ): Promise<VisibleBlock | undefined> {
    const route = found === undefined ? routeOf(place) : tryRoute(place, sources);
    if (route === undefined || (found !== undefined && found.record.label !== labelOf(route))) return undefined;
    const content = await readSource(route, actor);
    return content && adopt(route, content, "load", actor);
  }

  async function saveOnce(place: string, actor: Actor): Promise<VisibleBlock> {
    const { visible, record, route } = await withSource(place, actor);
    const permission = permissionFor(visible, sources);
    const { text, frontiers, grows } = await shelf.read(record, (document) => {
      const now = textOf(document);
      const before = (): string => atState(document, record.origin.frontiers, textOf);
      const extended = permission === "append" && now.startsWith(before());
      return { text: now, frontiers: frontiersOf(document), grows: extended };
    });
    assertPermitted(record.label, permission, grows ? "append" : "update");
    const written = await writeBack(route, text, record.origin.version, actor);
    return desk.change(visible, actor, {
      work: () => ({
        operation: "save",
        set: { origin: { uri: route.uri, version: written.version, frontiers, digest: digestOf(text) } },
      }),
    });
  }

  async function statusOf(visible: VisibleBlock, actor: Actor): Promise<BlockStatus> {
    const info = await desk.infoOf(visible, actor);
    const { origin } = visible.record;
    if (origin === undefined) return { ...info, source: "none" };
    const disk = await readSource(sources.route(origin.uri), actor);
    if (disk === undefined) return { ...info, source: "removed" };
    return { ...info, source: disk.version === origin.version ? "unchanged" : "changed" };
  }

  return {
    async load(place, actor) {
      let visible = await desk.find(place, actor);
      if (visible?.record.origin === undefined) {
        visible = (await adoptFrom(place, visible, actor)) ?? visible;
        if (visible === undefined) throw absent(place);
      } else {
        visible = await refresh(visible, assertOrigin(visible.record), actor);
      }
      if (visible.record.type === "archival") {
        visible = await desk.change(visible, actor, {
          action: "update",
          work: () => ({ operation: "load", set: { type: "working" } }),
        });
      }
      return desk.infoOf(visible, actor);
    },
    async reload(place, actor) {
      const { visible, record, route } = await withSource(place, actor);
      const disk = await readSource(route, actor);
      if (disk === undefined) throw removed(record);
      const reloaded = await desk.change(visible, actor, {
        work(document, present) {
          const { origin } = assertOrigin(present);
          if (isModified(document, origin)) {
            assertPermitted(present.label, permissionFor(visible, sources), "update");
          }
          if (disk.version !== origin.version) {
            return reconcileWith(document, { ...present, origin }, disk, "disk_wins");
          }
          const before = frontiersOf(document);
          if (textOf(document) === disk.text) return undefined;
          setText(document.doc, "content", disk.text);
          document.doc.commit();
          return { operation: "reload", set: withStep(present, { before, after: frontiersOf(document) }) };
        },
      });
      return desk.infoOf(reloaded, actor);
    },
    async save(place, actor) {
      for (let tries = 1; ; tries++) {
        try {
          return await desk.infoOf(await saveOnce(place, actor), actor);
        } catch (error) {
          const stale = IkigaiError.is(error, "conflict") && error.message === STALE_SAVE;
          if (!stale || whenStale === "refuse" || tries === MAX_SAVES) throw error;
          const { visible, route } = await withSource(place, actor);
          const disk = await readSource(route, actor);
          if (disk === undefined) throw error;
          await apply(visible, disk, "merge", actor);
        }
      }
    },
    async create(place, content, actor) {
      assertNoNul("content", content);
      const route = sources.route(place);
      assertPermitted(route.uri, route.permission, "create");
      const written = await requireCapability(route, "write").write(route.address.path, content, {
        actor,
        expected: null,
      });
      return desk.infoOf(await adopt(route, { ...written, text: content }, "create", actor), actor);
    },
    async remove(place, actor, { expected } = {}) {
      const visible = await desk.find(place, actor);
      const origin = visible?.record.origin;
      const route = sources.route(origin?.uri ?? place);
      assertPermitted(route.uri, route.permission, "delete");
      const loaded = origin?.version;
      if (expected !== undefined && typeof loaded === "string" && loaded !== expected) throw staleRemoval(route.uri);
      const version = expected ?? loaded;
      await requireCapability(route, "remove").remove(route.address.path, {
        actor,
        ...(typeof version === "string" && { expected: version }),
      });
      if (visible === undefined || origin === undefined) return;
      await desk.change(visible, actor, { work: () => ({ operation: "remove", set: { origin: null } }) });
    },
    async diff(place, actor) {
      const { record, route } = await withSource(place, actor);
      const disk = await readSource(route, actor);
      const text = await shelf.read(record, textOf);
      return createUnifiedDiff(disk?.text ?? "", text, { before: route.uri, after: record.label });
    },
    async status(selector, actor) {
      if ("place" in selector) return [await statusOf(await desk.get(selector.place, actor), actor)];
      const prefix = `${selector.mount}:///`;
      const loaded = (await store.list(actor.agent)).filter(({ record }) => record.origin?.uri.startsWith(prefix));
      return Promise.all(loaded.map((visible) => statusOf(visible, actor)));
    },
    async reconcile(place, strategy, actor) {
      const { visible, record, route } = await withSource(place, actor);
      const disk = await readSource(route, actor);
      const decided = await decide(record, disk, strategy, actor);
      return desk.infoOf(await apply(visible, disk, decided, actor), actor);
    },
    async onSourceChange(uri, strategy = "merge") {
      const route = sources.route(uri);
      const outcomes: SourceChangeOutcome[] = [];
      for (const record of await store.listByOrigin(route.uri)) {
        const { label, owner, revision } = record;
        const actor: Actor = { agent: owner, conversation: "", callId: "", tool: "watch" };
        try {
          const disk = await readSource(route, actor);
          const decided = await decide(assertOrigin(record), disk, strategy, actor);
          const after = await apply({ record }, disk, decided, actor, false);
          const moved = after.record.revision !== revision;
          const outcome = !moved ? "unchanged" : disk === undefined ? "removed" : "reconciled";
          outcomes.push({ label, owner, outcome });
        } catch (error) {
          outcomes.push({ label, owner, outcome: "failed", error: messageOf(error) });
        }
      }
      return outcomes;
    },
  };
}

/** Contract: the source decides; text that is already there as it should be counts as written. */
async function writeBack(route: Route, text: string, expected: string | null, actor: Actor): Promise<TextContent> {
  const writing = requireCapability(route, "write");
  try {
    return await writing.write(route.address.path, text, { actor, expected });
  } catch (cause) {
    if (!IkigaiError.is(cause, "conflict")) throw cause;
    const present = await writing.read(route.address.path, { actor });
    if (present?.text === text) return present;
    throw new IkigaiError("conflict", STALE_SAVE, { hint: STALE_HINT, cause, details: { uri: route.uri } });
  }
}

function staleRemoval(uri: string): IkigaiError {
  return new IkigaiError("conflict", `${uri} changed since it was loaded, so it was not deleted`, { hint: STALE_HINT });
}

function assertOrigin(record: BlockRecord): WithOrigin {
  const { origin, label } = record;
  if (origin !== undefined) return { ...record, origin };
  throw new IkigaiError("not_found", `The block "${label}" has no source`, {
    hint: "Create a file from its text, or load one.",
  });
}

function removed({ label, origin }: WithOrigin): IkigaiError {
  return new IkigaiError("not_found", `${origin.uri} was removed; the block "${label}" keeps its text and history`, {
    hint: "Bring the text back with file_write, or go on without a source.",
  });
}

function absent(place: string): IkigaiError {
  return new IkigaiError("not_found", `There is no block "${place}", and no text at such a path`, {
    hint: "Check the label or the path.",
  });
}
