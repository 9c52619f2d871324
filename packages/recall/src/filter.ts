import { IkigaiError } from "@ikigai/core";
import type { Metadata } from "./contract.ts";

export type Scalar = string | number | boolean | null;

/** What one field must be. Ranges compare numbers with numbers and text with text. */
export interface FieldCondition {
  readonly eq?: Scalar;
  readonly in?: readonly Scalar[];
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  /** A member of a list, or a part of a text. */
  readonly contains?: Scalar;
}

/** Fields of the metadata and what they must be; a bare value means equality. All must hold. */
export type MetadataFilter = Readonly<Record<string, Scalar | FieldCondition>>;

export const RANGES = ["gt", "gte", "lt", "lte"] as const;
const OPERATORS: ReadonlySet<string> = new Set(["eq", "in", "contains", ...RANGES]);

/** Whether metadata satisfies a filter. The SQL in `postgres/filter-sql.ts` says the same. */
export function matchesFilter(metadata: Metadata, filter: MetadataFilter): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    const { eq, in: any, contains, ...ranges } = conditionOf(field, wanted);
    if (eq !== undefined && value !== eq) return false;
    if (any !== undefined && !any.some((one) => one === value)) return false;
    if (contains !== undefined && !holds(value, contains)) return false;
    return RANGES.every((name) => ranges[name] === undefined || inRange(name, value, ranges[name]));
  });
}

/** Contract: `invalid_input` for an unknown operator. */
export function conditionOf(field: string, wanted: Scalar | FieldCondition): FieldCondition {
  if (typeof wanted !== "object" || wanted === null) return { eq: wanted };
  const unknown = Object.keys(wanted).find((name) => !OPERATORS.has(name));
  if (unknown === undefined) return wanted;
  throw new IkigaiError("invalid_input", `filter.${field}: unknown operator ${JSON.stringify(unknown)}`, {
    hint: `Use a plain value, or ${[...OPERATORS].join(", ")}.`,
  });
}

/** Contract: `invalid_input` for an unknown operator, and for text that no metadata can hold. */
export function assertFilter(filter: MetadataFilter): void {
  for (const [field, wanted] of Object.entries(filter)) {
    const values = Object.values(conditionOf(field, wanted)).flat() as readonly (Scalar | undefined)[];
    for (const text of [field, ...values]) {
      if (typeof text !== "string" || (text.isWellFormed() && !text.includes("\0"))) continue;
      const where = JSON.stringify(field.slice(0, 100));
      throw new IkigaiError("invalid_input", `filter ${where}: a NUL character or half of a surrogate pair`, {
        hint: "Leave it out; no metadata contains one.",
      });
    }
  }
}

function holds(value: unknown, part: Scalar): boolean {
  if (Array.isArray(value)) return value.includes(part);
  return typeof value === "string" && typeof part === "string" && value.includes(part);
}

function inRange(name: (typeof RANGES)[number], value: unknown, bound: string | number): boolean {
  if (typeof value !== typeof bound) return false;
  const order = compare(value as string | number, bound);
  if (name === "gt") return order > 0;
  if (name === "gte") return order >= 0;
  return name === "lt" ? order < 0 : order <= 0;
}

/** Text by its UTF-8 bytes, as the database does with the collation "C". */
function compare(a: string | number, b: string | number): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}
