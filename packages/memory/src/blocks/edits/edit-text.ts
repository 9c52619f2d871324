import { IkigaiError } from "@ikigai/core";
import type { BlockDocument } from "../document/block-document.ts";
import { inText } from "../document/in-container.ts";
import { applyReplacements, type Replacement } from "../../text/replace-text.ts";
import { textDelta } from "../document/text-delta.ts";
import { spliceText } from "../document/three-way.ts";
import type { EditContext } from "./edit-context.ts";

const MAX_CHARS = 5_000_000;

/**
 * Makes replacements in the text of a block.
 *
 * Contract: `find` sees the whole text and may throw, and then nothing is changed; so it is when nothing would change,
 * or when the text would grow beyond 5,000,000 characters.
 */
export function editText(
  { doc }: BlockDocument,
  { label }: EditContext,
  find: (text: string) => readonly Replacement[],
): void {
  const text = inText(doc, "content", (container) => container.toString());
  const replacements = find(text);
  const size = replacements.reduce((sum, { start, end, insert }) => sum - (end - start) + insert.length, text.length);
  if (size > MAX_CHARS) {
    throw new IkigaiError("over_budget", `"${label}" would have ${size} characters and may have ${MAX_CHARS}`, {
      hint: "Split it into several blocks, or shorten it.",
    });
  }
  const target = applyReplacements(text, replacements);
  if (!target.isWellFormed()) {
    throw new IkigaiError("invalid_input", `The new text of "${label}" contains half of a surrogate pair`, {
      hint: "Send whole characters.",
    });
  }
  if (target === text) {
    throw new IkigaiError("invalid_input", `The edit would change nothing in "${label}"`, {
      hint: "Look at the block as it is now.",
    });
  }
  const smallest = replacements.flatMap(({ start, end, insert }) =>
    textDelta(text.slice(start, end), insert).map((one) => ({
      start: one.start + start,
      end: one.end + start,
      insert: one.insert,
    })),
  );
  inText(doc, "content", (container) => spliceText(container, smallest));
}
