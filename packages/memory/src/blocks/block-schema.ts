import { IkigaiError } from "@ikigai/core";
import type { BlockEdit, BlockSchemaKind } from "@ikigai/core/host";

export type FieldType = "text" | "number" | "boolean" | "list" | "timestamp";

/** One named value of a map. */
export interface FieldSchema {
  readonly name: string;
  readonly type: FieldType;
  readonly description?: string;
  /** Edits may not set it; only the one who defines the block gives it a value. */
  readonly read_only?: boolean;
  /** What it holds until it is set. */
  readonly default?: unknown;
  /** How many items a field of type `list` may have. */
  readonly max_items?: number;
}

/** A part of a block that is kept in one container. */
export type LeafSchema =
  | { readonly kind: "text"; readonly default?: string }
  /** Items in an order. Beyond `max_items` an edit is refused. */
  | { readonly kind: "list"; readonly max_items?: number; readonly default?: readonly string[] }
  | { readonly kind: "map"; readonly fields: readonly FieldSchema[] }
  /** Entries with their time, never changed. Beyond `max_items` the oldest leave the text and stay in the history. */
  | { readonly kind: "log"; readonly max_items?: number };

export interface SectionSchema {
  readonly name: string;
  readonly schema: LeafSchema;
  readonly description?: string;
  readonly read_only?: boolean;
}

/** What a block holds, and which edits it takes. Plain JSON. */
export type BlockSchema = LeafSchema | { readonly kind: "composite"; readonly sections: readonly SectionSchema[] };

export const TEXT_SCHEMA: BlockSchema = { kind: "text" };

const OPERATIONS: Readonly<Record<BlockSchemaKind, readonly BlockEdit["op"][]>> = {
  text: ["append", "replace", "patch", "edit_range", "undo", "redo"],
  list: ["append", "edit_range", "undo", "redo"],
  map: ["set_field", "undo", "redo"],
  log: ["append"],
  composite: ["set_field", "undo", "redo"],
};

/** Contract: throws `unsupported`, naming the schema and what it does take, unless a block of `kind` takes `op`. */
export function assertOperation(label: string, kind: BlockSchemaKind, op: BlockEdit["op"]): void {
  const allowed = OPERATIONS[kind];
  if (allowed.includes(op)) return;
  const why = op === "patch" ? `${op}, which needs a schema with advanced edit` : op;
  throw new IkigaiError("unsupported", `"${label}" is a block of schema ${kind} and does not take ${why}`, {
    hint: `Use one of: ${allowed.join(", ")}.`,
  });
}

/** The containers of a block: one, or one per section. */
export function leavesOf(schema: BlockSchema): readonly SectionSchema[] {
  return schema.kind === "composite" ? schema.sections : [{ name: "content", schema }];
}

/** Contract: throws `invalid_input` for a schema that could hold nothing or names something twice. */
export function assertBlockSchema(schema: BlockSchema): void {
  if (schema.kind === "composite") assertNames("section", schema.sections);
  for (const { name, schema: leaf } of leavesOf(schema)) {
    if (leaf.kind === "map") assertNames("field", leaf.fields);
    else if (leaf.kind !== "text") assertLimit(name, leaf.max_items);
  }
}

function assertNames(what: string, named: readonly { readonly name: string }[]): void {
  const names = named.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const bad = names.find((name) => name === "" || name.includes("."));
  if (names.length > 0 && twice === undefined && bad === undefined) return;
  const problem =
    twice !== undefined ? `two ${what}s are named "${twice}"` : `${what} names must be there, and have no dot`;
  throw new IkigaiError("invalid_input", `Not a block schema: ${problem}`);
}

function assertLimit(name: string, limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit > 0)) return;
  throw new IkigaiError("invalid_input", `Not a block schema: max_items of "${name}" is ${limit}, not 1 or more`);
}
