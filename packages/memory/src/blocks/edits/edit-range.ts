import { IkigaiError } from "@ikigai/core";
import type { BlockEdit } from "@ikigai/core/host";
import { countLines, startOfLine } from "@ikigai/core/text";
import type { BlockDocument } from "../document/block-document.ts";
import { assertItems } from "../document/field-value.ts";
import { countOf } from "../../text/count-of.ts";
import { inList } from "../document/in-container.ts";
import { adoptEndings } from "../../text/replace-text.ts";
import type { EditContext } from "./edit-context.ts";
import { editText } from "./edit-text.ts";

type RangeEdit = Extract<BlockEdit, { op: "edit_range" }>;

/**
 * Replaces lines `start` to `end` of a text, or items of a list, by `content`.
 *
 * Contract: empty content removes them; `end` one below `start` replaces nothing and inserts before `start`. What
 * replaces lines ends with a line break where they did.
 */
export function applyEditRange(document: BlockDocument, edit: RangeEdit, context: EditContext): void {
  const { doc, schema } = document;
  if (schema.kind === "list") {
    const { max_items: limit } = schema;
    return inList(doc, "content", (items) => {
      assertRange(edit, items.length, "item", context.label);
      const removed = edit.end - edit.start + 1;
      if (edit.content !== "") assertItems(context.label, items.length - removed + 1, limit);
      items.delete(edit.start - 1, removed);
      if (edit.content !== "") items.insert(edit.start - 1, edit.content);
    });
  }
  editText(document, context, (text) => {
    const lines = countLines(text);
    assertRange(edit, lines, "line", context.label);
    const start = startOfLine(text, edit.start);
    const end = startOfLine(text, edit.end + 1);
    const behindOpenLine = start === text.length && text !== "" && !text.endsWith("\n");
    const open = edit.content !== "" && !edit.content.endsWith("\n");
    const closes = open && (edit.end < lines || text.slice(start, end).endsWith("\n"));
    const insert = `${behindOpenLine && edit.content !== "" ? "\n" : ""}${edit.content}${closes ? "\n" : ""}`;
    return [{ start, end, insert: adoptEndings(text, start, end, insert) }];
  });
}

function assertRange({ start, end, content }: RangeEdit, count: number, what: string, label: string): void {
  const last = end === start - 1 ? count + 1 : count;
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (whole && start >= 1 && end >= start - 1 && start <= last && end <= count) {
    if (end >= start || content !== "") return;
    throw new IkigaiError("invalid_input", `Inserting nothing before ${start} would change nothing in "${label}"`, {
      hint: "Give content to insert, or a limit of at least 1 to replace.",
    });
  }
  throw new IkigaiError(
    "invalid_input",
    `"${label}" has ${countOf(count, what)}, so there is no range ${start} to ${end}`,
    {
      hint: `Give start and end from 1 to ${count}, or end one below start to insert.`,
    },
  );
}
