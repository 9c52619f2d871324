import { type BlockEdit, IkigaiError } from "@ikigai/core";
import { type BlockDocument, frontiersOf, revertStep } from "./block-document.ts";
import type { BlockRecord, EditStep, Frontiers } from "./block-store.ts";

const MAX_STEPS = 100;

type Steps = Pick<BlockRecord, "undo" | "redo">;

/** The steps after an edit: it can be undone, and what was undone before cannot be redone any more. */
export function withStep({ undo }: Steps, step: EditStep): Steps {
  return { undo: [...undo, step].slice(-MAX_STEPS), redo: [] };
}

/**
 * Takes the last edit back, or makes the last undone one again. What others changed meanwhile stays.
 *
 * Contract: throws `not_found` when there is no such step. Steps of which nothing is left are passed over.
 */
export function stepThrough(document: BlockDocument, record: BlockRecord, op: "undo" | "redo"): Steps {
  const steps = [...record[op]];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const before: Frontiers = frontiersOf(document);
    if (!revertStep(document, step)) continue;
    const taken: EditStep = { before, after: frontiersOf(document) };
    return op === "undo"
      ? { undo: steps, redo: [...record.redo, taken] }
      : { redo: steps, undo: [...record.undo, taken].slice(-MAX_STEPS) };
  }
  throw new IkigaiError("not_found", `There is nothing to ${op} in "${record.label}"`);
}

export function isStep(edit: BlockEdit): edit is Extract<BlockEdit, { op: "undo" | "redo" }> {
  return edit.op === "undo" || edit.op === "redo";
}
