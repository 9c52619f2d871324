import { IkigaiError } from "@ikigai/core";
import type { BlockEdit } from "@ikigai/core/host";
import type { BlockDocument } from "../document/block-document.ts";
import { countOf } from "../../text/count-of.ts";
import { findReplacements, type Replacement } from "../../text/replace-text.ts";
import type { EditContext } from "./edit-context.ts";
import { editText } from "./edit-text.ts";
import { findRegexReplacements } from "./regex.ts";

type ReplaceEdit = Extract<BlockEdit, { op: "replace" }>;

/** Replaces the only match, all of them, one of them by its number, or what a pattern matches. */
export function applyReplace(document: BlockDocument, edit: ReplaceEdit, context: EditContext): void {
  const { mode = "first", nth } = edit;
  if (nth !== undefined && mode !== "nth" && mode !== "regex") {
    throw new IkigaiError("invalid_input", `nth is ${nth}, but mode "${mode}" does not count matches`, {
      hint: 'Set mode to "nth".',
    });
  }
  editText(document, context, (text) => {
    if (mode === "regex") {
      const found = findRegexReplacements(text, edit.old, edit.new, context.label);
      return nth === undefined ? found : [pick(found, nth, context.label)];
    }
    const found = findReplacements(text, edit.old, edit.new, {
      name: `"${context.label}"`,
      all: mode !== "first",
      severalHint: 'Give more of the surrounding text, or set mode to "all" or "nth".',
    });
    return mode === "nth" ? [pick(found, nth, context.label)] : found;
  });
}

function pick(found: readonly Replacement[], nth: number | undefined, label: string): Replacement {
  const picked = nth === undefined ? undefined : found[nth - 1];
  if (picked !== undefined) return picked;
  throw new IkigaiError(
    "invalid_input",
    `"${label}" has ${countOf(found.length, "match", "matches")} and nth is ${nth ?? "missing"}`,
    {
      hint: `Give nth from 1 to ${found.length}.`,
    },
  );
}
