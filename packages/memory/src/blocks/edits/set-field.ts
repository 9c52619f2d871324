import { IkigaiError } from "@ikigai/core";
import type { BlockEdit } from "@ikigai/core/host";
import type { BlockDocument } from "../document/block-document.ts";
import type { BlockSchema, FieldSchema, LeafSchema, SectionSchema } from "../block-schema.ts";
import { writeLeaf } from "../document/block-state.ts";
import { assertItems, checkFieldValue, isTextList } from "../document/field-value.ts";
import { appendEntry } from "./append.ts";
import { inMap } from "../document/in-container.ts";
import type { EditContext } from "./edit-context.ts";

type SetFieldEdit = Extract<BlockEdit, { op: "set_field" }>;

type CompositeSchema = Extract<BlockSchema, { kind: "composite" }>;

/**
 * Sets a field of a map, a section of a composite, or `section.field`; `null` takes a field back to its default.
 *
 * Contract: a text section takes a text, a list section a list of texts, a map section an object of fields, and a log
 * section one more entry. All of a value is checked before any of it is set.
 */
export function applySetField(document: BlockDocument, { field, value }: SetFieldEdit, context: EditContext): void {
  const { schema } = document;
  if (schema.kind === "map") return setFields(document, "content", schema.fields, { [field]: value });
  const { sections } = schema as CompositeSchema;
  const dot = field.indexOf(".");
  const name = dot === -1 ? field : field.slice(0, dot);
  const section = sections.find((one) => one.name === name);
  if (section === undefined) throw unknown("section", name, sections);
  if (section.read_only === true) throw readOnly("section", name);
  if (dot === -1) return setSection(document, section, value, context);
  if (section.schema.kind !== "map") throw wrongValue(section, `has no fields, so there is no ${field}`);
  setFields(document, name, section.schema.fields, { [field.slice(dot + 1)]: value });
}

function setSection(document: BlockDocument, section: SectionSchema, value: unknown, context: EditContext): void {
  const { name, schema } = section;
  if (schema.kind === "map") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrongValue(section, takes(schema));
    return setFields(document, name, schema.fields, value as Record<string, unknown>);
  }
  if (schema.kind === "list") {
    if (!isTextList(value)) throw wrongValue(section, takes(schema));
    assertItems(name, value.length, schema.max_items);
    return writeLeaf(document.doc, name, value);
  }
  if (typeof value !== "string") throw wrongValue(section, takes(schema));
  if (schema.kind === "log") appendEntry(document, name, value, schema.max_items, context);
  else writeLeaf(document.doc, name, value);
}

function setFields(
  { doc }: BlockDocument,
  name: string,
  fields: readonly FieldSchema[],
  values: Readonly<Record<string, unknown>>,
): void {
  const checked = Object.entries(values).map(([key, value]) => {
    const field = fields.find((one) => one.name === key);
    if (field === undefined) throw unknown("field", key, fields);
    if (field.read_only === true) throw readOnly("field", key);
    return [key, value === null ? undefined : checkFieldValue(field, value)] as const;
  });
  inMap(doc, name, (container) => {
    for (const [key, value] of checked) {
      if (value === undefined) container.delete(key);
      else container.set(key, Array.isArray(value) ? [...value] : value);
    }
  });
}

const TAKES: Readonly<Record<LeafSchema["kind"], string>> = {
  text: "takes a text",
  list: "takes a list of texts",
  map: "takes an object of fields",
  log: "takes one entry, as a text",
};

const takes = ({ kind }: LeafSchema): string => TAKES[kind];

function wrongValue({ name }: SectionSchema, what: string): IkigaiError {
  return new IkigaiError("invalid_input", `The section "${name}" ${what}`);
}

function readOnly(what: string, name: string): IkigaiError {
  return new IkigaiError("permission_denied", `The ${what} "${name}" is read-only`, {
    hint: "Leave it as it is, or ask the user to change it.",
  });
}

function unknown(what: string, name: string, known: readonly { readonly name: string }[]): IkigaiError {
  return new IkigaiError("not_found", `There is no ${what} "${name}"`, {
    hint: `There are: ${known.map((one) => one.name).join(", ")}.`,
  });
}
