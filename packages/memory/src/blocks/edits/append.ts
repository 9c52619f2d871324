import { IkigaiError } from "@ikigai/core";
import type { BlockEdit } from "@ikigai/core/host";
import type { BlockDocument } from "../document/block-document.ts";
import type { LeafSchema } from "../block-schema.ts";
import { assertItems } from "../document/field-value.ts";
import { inList } from "../document/in-container.ts";
import { adoptEndings } from "../../text/replace-text.ts";
import type { EditContext } from "./edit-context.ts";
import { editText } from "./edit-text.ts";

type ListSchema = Extract<LeafSchema, { kind: "list" }>;

/** Text grows at its end, a list by one item, a log by one entry with its time. */
export function applyAppend(
  document: BlockDocument,
  { content }: Extract<BlockEdit, { op: "append" }>,
  context: EditContext,
): void {
  if (content === "")
    throw new IkigaiError("invalid_input", "There is nothing to append: content is empty", {
      hint: "Give the text to append as content.",
    });
  const { doc, schema } = document;
  if (schema.kind === "text") {
    editText(document, context, (text) => [
      { start: text.length, end: text.length, insert: adoptEndings(text, text.length, text.length, content) },
    ]);
  } else if (schema.kind === "log") {
    appendEntry(document, "content", content, schema.max_items, context);
  } else {
    inList(doc, "content", (items) => {
      assertItems(context.label, items.length + 1, (schema as ListSchema).max_items);
      items.push(content);
    });
  }
}

/** The oldest entries leave a log that is full; its history keeps them. */
export function appendEntry(
  { doc }: BlockDocument,
  name: string,
  content: string,
  limit: number | undefined,
  { now }: EditContext,
): void {
  inList(doc, name, (entries) => {
    entries.push(`${now.toISOString()} ${content}`);
    if (limit !== undefined && entries.length > limit) entries.delete(0, entries.length - limit);
  });
}
