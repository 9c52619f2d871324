import { type Actor, IkigaiError, type TextContent } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";
import type { BlockOperations } from "../block-operations.ts";
import type { BlockOrigin, BlockRecord, VisibleBlock } from "../block-store.ts";

/** The record of a block whose text comes from a source. */
export type RecordWithOrigin = BlockRecord & { readonly origin: BlockOrigin };

/** A block whose text has a source, and where that text is. */
export interface BlockWithSource {
  readonly visible: VisibleBlock;
  readonly record: RecordWithOrigin;
  readonly route: Route;
}

/** What to do when a block has edits and its source changed too. */
export const STALE_HINT: string =
  "Look at the diff; then `file merge` brings the file and the block's edits together, or `file reload` takes the file " +
  "and drops the edits until you undo.";

/** Contract: `not_found` when there is no such block, or it has no source. */
export async function findWithSource(
  operations: BlockOperations,
  place: string,
  actor: Actor,
): Promise<BlockWithSource> {
  const visible = await operations.get(place, actor);
  const record = assertOrigin(visible.record);
  return { visible, record, route: operations.sources.route(record.origin.uri) };
}

/** What a source holds now. Contract: `unsupported` for what is not text. */
export async function readSource({ source, address }: Route, actor: Actor): Promise<TextContent | undefined> {
  const found = await source.read(address.path, { actor });
  if (found === undefined) return undefined;
  const whole = found.text.isWellFormed();
  if (whole && !found.text.includes("\0")) return found;
  const what = whole ? "a NUL character" : "half of a surrogate pair";
  throw new IkigaiError("unsupported", `"${address.path}" is not text: it contains ${what}`, {
    hint: "Look at it with another program, or leave it out.",
  });
}

/** Contract: `not_found` for a block without a source. */
export function assertOrigin(record: BlockRecord): RecordWithOrigin {
  const { origin, label } = record;
  if (origin !== undefined) return { ...record, origin };
  throw new IkigaiError("not_found", `The block "${label}" has no source`, {
    hint: "Create a file from its text, or load one.",
  });
}

/** The error that the source of a block is gone. */
export function removedSource({ label, origin }: RecordWithOrigin): IkigaiError {
  return new IkigaiError("not_found", `${origin.uri} was removed; the block "${label}" keeps its text and history`, {
    hint: "Bring the text back with file_write, or go on without a source.",
  });
}
