import type { BlockEdit } from "@ikigai/core/host";
import type { BlockDocument } from "../document/block-document.ts";
import { applyUnifiedPatch } from "../../text/unified-patch.ts";
import type { EditContext } from "./edit-context.ts";
import { editText } from "./edit-text.ts";

/** Applies a unified diff to the text of a block. */
export function applyPatchEdit(
  document: BlockDocument,
  { patch }: Extract<BlockEdit, { op: "patch" }>,
  context: EditContext,
): void {
  editText(document, context, (text) => [
    { start: 0, end: text.length, insert: applyUnifiedPatch(text, patch, context.label) },
  ]);
}
