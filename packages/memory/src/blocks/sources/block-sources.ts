import { type Actor, type Blocks, type BlockStatus, IkigaiError } from "@ikigai/core";
import { type ReconcileStrategy, requireCapability } from "@ikigai/core/host";
import { assertNoNul } from "../../text/assert-no-nul.ts";
import { createUnifiedDiff } from "../../text/unified-patch.ts";
import { assertPermitted } from "../block-access.ts";
import type { BlockOperations } from "../block-operations.ts";
import type { VisibleBlock } from "../block-store.ts";
import { textOf } from "../document/block-document.ts";
import { adoptText } from "./adopt-text.ts";
import { findWithSource, readSource, STALE_HINT } from "./block-with-source.ts";
import { loadBlock, reloadBlock, type WhenStale } from "./load-block.ts";
import { type AskReconcile, reconcileBlock, reconcileBlocksOf, type SourceChangeOutcome } from "./reconcile-block.ts";
import { saveBlock } from "./save-block.ts";

/** Blocks and the sources that their texts come from. */
export interface BlockSources extends Omit<Blocks, "edit" | "text"> {
  /**
   * Reconciles every loaded block whose text comes from `uri`, of whatever owner. For a host that hears of changes.
   *
   * Contract: never rejects for one block's sake; says what became of each.
   */
  onSourceChange(uri: string, strategy?: ReconcileStrategy): Promise<readonly SourceChangeOutcome[]>;
}

export interface BlockSourcesOptions {
  readonly ask?: AskReconcile;
  /** Default `refuse`. */
  readonly whenStale?: WhenStale;
}

export function createBlockSources(operations: BlockOperations, options: BlockSourcesOptions = {}): BlockSources {
  const { ask, whenStale = "refuse" } = options;
  const { sources, store, shelf } = operations;
  return {
    load: (place, actor) => loadBlock(operations, place, actor, whenStale),
    reload: (place, actor) => reloadBlock(operations, place, actor),
    save: (place, actor) => saveBlock(operations, place, actor, whenStale),
    async create(place, content, actor) {
      assertNoNul("content", content);
      const route = sources.route(place);
      assertPermitted(route.uri, route.permission, "create");
      const written = await requireCapability(route, "write").write(route.address.path, content, {
        actor,
        expected: null,
      });
      const made = await adoptText(operations, route, { ...written, text: content }, "create", actor);
      return operations.infoOf(made, actor);
    },
    remove: (place, actor, { expected } = {}) => removeSource(operations, place, actor, expected),
    async diff(place, actor) {
      const { record, route } = await findWithSource(operations, place, actor);
      const disk = await readSource(route, actor);
      const text = await shelf.read(record, textOf);
      return createUnifiedDiff(disk?.text ?? "", text, { before: route.uri, after: record.label });
    },
    async status(selector, actor) {
      if ("place" in selector) return [await statusOf(operations, await operations.get(selector.place, actor), actor)];
      const prefix = `${selector.mount}:///`;
      const loaded = (await store.list(actor.agent)).filter(({ record }) => record.origin?.uri.startsWith(prefix));
      return Promise.all(loaded.map((visible) => statusOf(operations, visible, actor)));
    },
    reconcile: (place, strategy, actor) => reconcileBlock(operations, place, strategy, actor, ask),
    onSourceChange: (uri, strategy = "merge") => reconcileBlocksOf(operations, uri, strategy, ask),
  };
}

/** Removes the text where it comes from. Contract: the block stays, without a source. */
async function removeSource(
  operations: BlockOperations,
  place: string,
  actor: Actor,
  expected: string | undefined,
): Promise<void> {
  const visible = await operations.find(place, actor);
  const origin = visible?.record.origin;
  const route = operations.sources.route(origin?.uri ?? place);
  assertPermitted(route.uri, route.permission, "delete");
  const loaded = origin?.version;
  if (expected !== undefined && typeof loaded === "string" && loaded !== expected) throw staleRemoval(route.uri);
  const version = expected ?? loaded;
  await requireCapability(route, "remove").remove(route.address.path, {
    actor,
    ...(typeof version === "string" && { expected: version }),
  });
  if (visible === undefined || origin === undefined) return;
  await operations.change(visible, actor, { work: () => ({ operation: "remove", set: { origin: null } }) });
}

async function statusOf(operations: BlockOperations, visible: VisibleBlock, actor: Actor): Promise<BlockStatus> {
  const info = await operations.infoOf(visible, actor);
  const { origin } = visible.record;
  if (origin === undefined) return { ...info, source: "none" };
  const disk = await readSource(operations.sources.route(origin.uri), actor);
  if (disk === undefined) return { ...info, source: "removed" };
  return { ...info, source: disk.version === origin.version ? "unchanged" : "changed" };
}

function staleRemoval(uri: string): IkigaiError {
  return new IkigaiError("conflict", `${uri} changed since it was loaded, so it was not deleted`, { hint: STALE_HINT });
}
