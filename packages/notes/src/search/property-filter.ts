import type { Properties } from "../note/simple-yaml.ts";

/** A value that properties can be compared with. */
export type PropertyValue = string | number | boolean | null;

/** What a property must be. All that is given must hold. */
export interface PropertyCondition {
  readonly eq?: PropertyValue;
  readonly ne?: PropertyValue;
  readonly gt?: string | number;
  readonly gte?: string | number;
  readonly lt?: string | number;
  readonly lte?: string | number;
  /** The property must be one of these values. */
  readonly in?: readonly PropertyValue[];
  /** A list with this item, or a text with this part. */
  readonly contains?: string | number;
  /** Whether the property is there and not empty. */
  readonly exists?: boolean;
}

/** Conditions by key; `a.b` looks into a nested property. A bare value asks for equality, a list for all its items. */
export type PropertyFilter = Readonly<Record<string, PropertyValue | readonly PropertyValue[] | PropertyCondition>>;

/** Whether the properties meet every condition. A list meets `eq` and ranges when one of its items does. */
export function matchesProperties(properties: Properties, filter: PropertyFilter): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const value = lookUp(properties, key);
    if (isList(wanted)) return wanted.every((item) => holdsFor(value, (one) => equals(one, item)));
    if (typeof wanted === "object" && wanted !== null) return meets(value, wanted);
    return wanted === null ? value === null || value === undefined : holdsFor(value, (one) => equals(one, wanted));
  });
}

function meets(value: unknown, wanted: PropertyCondition): boolean {
  const { eq, ne, gt, gte, lt, lte, contains, exists } = wanted;
  const some = (test: (one: unknown) => boolean): boolean => holdsFor(value, test);
  return (
    (eq === undefined || some((one) => equals(one, eq))) &&
    (ne === undefined || !some((one) => equals(one, ne))) &&
    (gt === undefined || some((one) => compare(one, gt) > 0)) &&
    (gte === undefined || some((one) => compare(one, gte) >= 0)) &&
    (lt === undefined || some((one) => compare(one, lt) < 0)) &&
    (lte === undefined || some((one) => compare(one, lte) <= 0)) &&
    (wanted.in === undefined || some((one) => (wanted.in as readonly PropertyValue[]).some((it) => equals(one, it)))) &&
    (contains === undefined || includes(value, contains)) &&
    (exists === undefined || isPresent(value) === exists)
  );
}

function lookUp(properties: Properties, key: string): unknown {
  if (Object.hasOwn(properties, key)) return properties[key];
  const folded = Object.keys(properties).find((own) => own.toLowerCase() === key.toLowerCase());
  if (folded !== undefined) return properties[folded];
  let value: unknown = properties;
  for (const part of key.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

function holdsFor(value: unknown, test: (one: unknown) => boolean): boolean {
  return Array.isArray(value) ? value.some(test) : test(value);
}

function equals(one: unknown, other: PropertyValue): boolean {
  return one === other || (one === undefined && other === null);
}

/** Numbers with numbers, texts with texts, which orders ISO dates; anything else compares with nothing. */
function compare(one: unknown, other: string | number): number {
  if (typeof one !== typeof other || (typeof one !== "string" && typeof one !== "number")) return Number.NaN;
  return one < other ? -1 : one > other ? 1 : 0;
}

function includes(value: unknown, part: string | number): boolean {
  if (Array.isArray(value)) return value.includes(part);
  return typeof value === "string" && value.toLowerCase().includes(String(part).toLowerCase());
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function isList(value: unknown): value is readonly PropertyValue[] {
  return Array.isArray(value);
}
