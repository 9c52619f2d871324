import { type Actor, type BlockInfo, IkigaiError, type TextContent } from "@ikigai/core";
import { requireCapability, type Route } from "@ikigai/core/host";
import { assertPermitted, permissionFor } from "../block-access.ts";
import type { BlockOperations } from "../block-operations.ts";
import type { VisibleBlock } from "../block-store.ts";
import { atState, digestOf, frontiersOf, textOf } from "../document/block-document.ts";
import { findWithSource, readSource, STALE_HINT } from "./block-with-source.ts";
import type { WhenStale } from "./load-block.ts";
import { bringTogether } from "./reconcile-block.ts";

const STALE_SAVE = "file modified externally, use `file load` to refresh";
const MAX_SAVES = 20;

/** Writes the text of a block to its source. Contract: `conflict` when the source changed, unless both are merged then. */
export async function saveBlock(
  operations: BlockOperations,
  place: string,
  actor: Actor,
  whenStale: WhenStale,
): Promise<BlockInfo> {
  for (let tries = 1; ; tries++) {
    try {
      return await operations.infoOf(await saveOnce(operations, place, actor), actor);
    } catch (error) {
      const stale = IkigaiError.is(error, "conflict") && error.message === STALE_SAVE;
      if (!stale || whenStale === "refuse" || tries === MAX_SAVES) throw error;
      const { visible, route } = await findWithSource(operations, place, actor);
      const disk = await readSource(route, actor);
      if (disk === undefined) throw error;
      await bringTogether(operations, visible, disk, "merge", actor);
    }
  }
}

async function saveOnce(operations: BlockOperations, place: string, actor: Actor): Promise<VisibleBlock> {
  const { visible, record, route } = await findWithSource(operations, place, actor);
  const permission = permissionFor(visible, operations.sources);
  const { text, frontiers, grows } = await operations.shelf.read(record, (document) => {
    const now = textOf(document);
    const before = (): string => atState(document, record.origin.frontiers, textOf);
    const extended = permission === "append" && now.startsWith(before());
    return { text: now, frontiers: frontiersOf(document), grows: extended };
  });
  assertPermitted(record.label, permission, grows ? "append" : "update");
  const written = await writeBack(route, text, record.origin.version, actor);
  return operations.change(visible, actor, {
    work: () => ({
      operation: "save",
      set: { origin: { uri: route.uri, version: written.version, frontiers, digest: digestOf(text) } },
    }),
  });
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
