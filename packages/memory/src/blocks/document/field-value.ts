import { IkigaiError } from "@ikigai/core";
import type { FieldSchema, FieldType } from "../block-schema.ts";

/** What a field can hold. */
export type FieldValue = string | number | boolean | readonly string[];

const CHECKS: Readonly<Record<FieldType, (value: unknown) => value is FieldValue>> = {
  text: (value) => typeof value === "string",
  number: (value): value is number => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  list: (value): value is readonly string[] => isTextList(value),
  timestamp: (value): value is string => typeof value === "string" && isTimestamp(value),
};

const WANTED: Readonly<Record<FieldType, string>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  list: "a list of texts",
  timestamp: "a time such as 2026-01-31T12:00:00Z",
};

/** Contract: gives `value` back when the field can hold it, and throws `invalid_input` or `over_budget` otherwise. */
export function checkFieldValue(field: FieldSchema, value: unknown): FieldValue {
  if (!CHECKS[field.type](value)) {
    throw new IkigaiError("invalid_input", `The field "${field.name}" takes ${WANTED[field.type]}, not ${show(value)}`);
  }
  if (Array.isArray(value)) assertItems(field.name, value.length, field.max_items);
  return value;
}

/** Contract: throws `over_budget` when `count` items are more than `limit`. */
export function assertItems(name: string, count: number, limit: number | undefined): void {
  if (limit === undefined || count <= limit) return;
  throw new IkigaiError("over_budget", `"${name}" would have ${count} items and may have ${limit}`, {
    hint: "Remove or merge items first.",
  });
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTimestamp(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}([T ].*)?$/.test(value) && !Number.isNaN(Date.parse(value));
}

function show(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
