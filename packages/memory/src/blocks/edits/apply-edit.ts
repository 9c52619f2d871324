import type { BlockEdit } from "@ikigai/core/host";
import { assertNoNul } from "../../text/assert-no-nul.ts";
import type { BlockDocument } from "../document/block-document.ts";
import { assertOperation } from "../block-schema.ts";
import { applyAppend } from "./append.ts";
import type { EditContext } from "./edit-context.ts";
import { applyEditRange } from "./edit-range.ts";
import { applyPatchEdit } from "./patch.ts";
import { applyReplace } from "./replace.ts";
import { applySetField } from "./set-field.ts";

/** An edit of the content, as opposed to a step through the history. */
export type ContentEdit = Exclude<BlockEdit, { op: "undo" | "redo" }>;

/** Contract: checks everything before it changes anything, so when it throws the document is as it was. */
export function applyEdit(document: BlockDocument, edit: ContentEdit, context: EditContext): void {
  assertOperation(context.label, document.schema.kind, edit.op);
  assertNoNul(`The new text of "${context.label}"`, { ...edit, old: undefined });
  switch (edit.op) {
    case "append":
      applyAppend(document, edit, context);
      break;
    case "replace":
      applyReplace(document, edit, context);
      break;
    case "patch":
      applyPatchEdit(document, edit, context);
      break;
    case "set_field":
      applySetField(document, edit, context);
      break;
    case "edit_range":
      applyEditRange(document, edit, context);
      break;
  }
  document.doc.commit();
}
