import { IkigaiError } from "@ikigai/core";
import type { BlockEdit } from "@ikigai/core/host";
import { type BlockDocument, frontiersOf, revertStep } from "./document/block-document.ts";
import type { BlockOrigin, BlockRecord, EditStep, Frontiers } from "./block-store.ts";

const MAX_STEPS = 100;

type Steps = Pick<BlockRecord, "undo" | "redo">;

/** The steps after an edit: it can be undone, and what was undone before cannot be redone any more. */
export function withStep({ undo }: Steps, step: EditStep): Steps {
  return { undo: [...undo, step].slice(-MAX_STEPS), redo: [] };
}

/** A step that also moves the block on to another version of its source, so that taking it back moves it back. */
export function withOriginStep(record: BlockRecord, step: EditStep): Steps {
  return withStep(record, { ...step, origin: record.origin ?? null });
}

/**
 * Takes the last edit back, or makes the last undone one again. What others changed meanwhile stays.
 *
 * Contract: throws `not_found` when there is no such step. Steps of which nothing is left are passed over. A text from
 * before a reload rests on the version of the source from before it again, so a save does not take it for newer.
 */
export function stepThrough(
  document: BlockDocument,
  record: BlockRecord,
  op: "undo" | "redo",
): Steps & { readonly origin?: BlockOrigin | null } {
  const steps = [...record[op]];
  let origin: EditStep["origin"];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const before: Frontiers = frontiersOf(document);
    if (step.origin !== undefined) origin = step.origin;
    if (!revertStep(document, step)) continue;
    const after = frontiersOf(document);
    const taken: EditStep = { before, after, ...(origin !== undefined && { origin: record.origin ?? null }) };
    const moved = origin === undefined ? {} : { origin };
    return op === "undo"
      ? { undo: steps, redo: [...record.redo, taken], ...moved }
      : { redo: steps, undo: [...record.undo, taken].slice(-MAX_STEPS), ...moved };
  }
  throw new IkigaiError("not_found", `There is nothing to ${op} in "${record.label}"`, {
    hint: "See what was changed with /history and its label.",
  });
}

export function isStep(edit: BlockEdit): edit is Extract<BlockEdit, { op: "undo" | "redo" }> {
  return edit.op === "undo" || edit.op === "redo";
}
