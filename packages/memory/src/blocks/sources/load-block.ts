import { type Actor, type BlockInfo, IkigaiError } from "@ikigai/core";
import { assertPermitted, permissionFor } from "../block-access.ts";
import type { BlockOperations } from "../block-operations.ts";
import type { VisibleBlock } from "../block-store.ts";
import { frontiersOf, textOf } from "../document/block-document.ts";
import { setText } from "../document/three-way.ts";
import { withStep } from "../undo.ts";
import { adoptFrom } from "./adopt-text.ts";
import {
  assertOrigin,
  findWithSource,
  readSource,
  type RecordWithOrigin,
  removedSource,
  STALE_HINT,
} from "./block-with-source.ts";
import { bringTogether } from "./reconcile-block.ts";
import { isModified, reconcileWith } from "./reconcile.ts";

/** What happens when a block has edits and its source changed. */
export type WhenStale = "refuse" | "merge";

/** Brings a block, or the text at a place, into the working context, up to date with its source. */
export async function loadBlock(
  operations: BlockOperations,
  place: string,
  actor: Actor,
  whenStale: WhenStale,
): Promise<BlockInfo> {
  let visible = await operations.find(place, actor);
  if (visible?.record.origin === undefined) {
    visible = (await adoptFrom(operations, place, visible, actor)) ?? visible;
    if (visible === undefined) throw absent(place);
  } else {
    visible = await refresh(operations, visible, assertOrigin(visible.record), actor, whenStale);
  }
  if (visible.record.type === "archival") {
    visible = await operations.change(visible, actor, {
      action: "update",
      work: () => ({ operation: "load", set: { type: "working" } }),
    });
  }
  return operations.infoOf(visible, actor);
}

/** Takes the text of the source. Contract: one undo brings the block's edits back. */
export async function reloadBlock(operations: BlockOperations, place: string, actor: Actor): Promise<BlockInfo> {
  const { visible, record, route } = await findWithSource(operations, place, actor);
  const disk = await readSource(route, actor);
  if (disk === undefined) throw removedSource(record);
  const reloaded = await operations.change(visible, actor, {
    work(document, present) {
      const { origin } = assertOrigin(present);
      if (isModified(document, origin)) {
        assertPermitted(present.label, permissionFor(visible, operations.sources), "update");
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
  return operations.infoOf(reloaded, actor);
}

async function refresh(
  operations: BlockOperations,
  visible: VisibleBlock,
  record: RecordWithOrigin,
  actor: Actor,
  whenStale: WhenStale,
): Promise<VisibleBlock> {
  const { sources, shelf } = operations;
  const disk = await readSource(sources.route(record.origin.uri), actor);
  if (disk === undefined) throw removedSource(record);
  if (disk.version === record.origin.version) return visible;
  if (whenStale === "refuse" && (await shelf.read(record, (document) => isModified(document, record.origin)))) {
    throw new IkigaiError("conflict", `"${record.label}" has unsaved edits and ${record.origin.uri} changed`, {
      hint: STALE_HINT,
    });
  }
  return bringTogether(operations, visible, disk, "merge", actor);
}

function absent(place: string): IkigaiError {
  return new IkigaiError("not_found", `There is no block "${place}", and no text at such a path`, {
    hint: "Check the label or the path.",
  });
}
