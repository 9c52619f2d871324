import { countLines, sliceLines } from "@ikigai/core/text";
import { type BlockSchema, type LeafSchema, leavesOf } from "./block-schema.ts";
import type { BlockState, LeafState } from "./document/block-state.ts";
import type { Viewport } from "./block-store.ts";
import type { FieldValue } from "./document/field-value.ts";

/** A block as the text that an agent reads. Of a text block, exactly its text. */
export function renderBlock(schema: BlockSchema, state: BlockState): string {
  const parts = leavesOf(schema).map(({ name, schema: leaf }) => ({
    name,
    text: renderLeaf(leaf, state.get(name) as LeafState),
  }));
  if (schema.kind !== "composite") return parts.map(({ text }) => text).join("");
  return parts
    .map(({ name, text }) => `## ${name}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}`)
    .join("\n");
}

/** The part of a text that a viewport shows, and a line that says what it hides. */
export function renderView(text: string, viewport: Viewport | undefined): string {
  if (viewport === undefined) return text;
  const { start_line: start, display_lines: count } = viewport;
  const lines = countLines(text);
  const end = Math.min(lines, start + count - 1);
  const shown = sliceLines(text, start, count);
  if (start <= 1 && end >= lines) return text;
  return `${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}[lines ${start} to ${end} of ${lines}]\n`;
}

function renderLeaf(schema: LeafSchema, state: LeafState): string {
  if (typeof state === "string") return state;
  if (schema.kind !== "map") return (state as readonly string[]).map((item) => `- ${indent(item)}\n`).join("");
  const fields = state as Readonly<Record<string, FieldValue>>;
  return schema.fields
    .map(({ name, default: initial }) => ({ name, value: Object.hasOwn(fields, name) ? fields[name] : initial }))
    .filter(({ value }) => value !== undefined)
    .map(({ name, value }) => `${name}: ${typeof value === "string" ? indent(value) : JSON.stringify(value)}\n`)
    .join("");
}

function indent(item: string): string {
  return item.replaceAll("\n", "\n  ");
}
