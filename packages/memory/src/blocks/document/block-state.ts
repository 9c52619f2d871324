import { diffArrays } from "diff";
import type { LoroDoc, LoroList, LoroMap } from "loro-crdt/base64";
import { type BlockSchema, type LeafSchema, leavesOf } from "../block-schema.ts";
import type { FieldValue } from "./field-value.ts";
import { inList, inMap, inText } from "./in-container.ts";
import { mergeLists, mergeTexts, setText } from "./three-way.ts";

/** What one container holds: a text, the items of a list or log, or the fields of a map that were set. */
export type LeafState = string | readonly string[] | Readonly<Record<string, FieldValue>>;

/** What a block holds, by section. A block without sections has one, `content`. */
export type BlockState = ReadonlyMap<string, LeafState>;

export function readState(doc: LoroDoc, schema: BlockSchema): BlockState {
  return new Map(leavesOf(schema).map(({ name, schema: leaf }) => [name, readLeaf(doc, name, leaf)]));
}

export function readLeaf(doc: LoroDoc, name: string, { kind }: LeafSchema): LeafState {
  if (kind === "text") return inText(doc, name, (text) => text.toString());
  if (kind === "map") return inMap(doc, name, (map) => map.toJSON() as Record<string, FieldValue>);
  return inList(doc, name, (list) => list.toJSON() as string[]);
}

/** Changes one container into `target` by its smallest known difference. */
export function writeLeaf(doc: LoroDoc, name: string, target: LeafState): void {
  if (typeof target === "string") setText(doc, name, target);
  else if (isItems(target)) inList(doc, name, (items) => writeItems(items, target));
  else inMap(doc, name, (fields) => writeFields(fields, target));
}

/** What `base` becomes when both the change to `ours` and the change to `theirs` are made to it. */
export function mergeLeaf(base: LeafState, ours: LeafState, theirs: LeafState): LeafState {
  if (typeof base === "string") return mergeTexts(base, ours as string, theirs as string);
  if (isItems(base)) return mergeLists(base, ours as readonly string[], theirs as readonly string[]);
  return mergeFields(base, ours as Record<string, FieldValue>, theirs as Record<string, FieldValue>);
}

export function sameState(one: LeafState | undefined, other: LeafState | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function writeItems(items: LoroList, target: readonly string[]): void {
  let at = 0;
  for (const { value, added, removed } of diffArrays(items.toJSON() as string[], [...target])) {
    if (removed) items.delete(at, value.length);
    else {
      if (added) for (const [offset, item] of value.entries()) items.insert(at + offset, item);
      at += value.length;
    }
  }
}

function writeFields(fields: LoroMap, target: Readonly<Record<string, FieldValue>>): void {
  const present = fields.toJSON() as Record<string, FieldValue>;
  for (const key of Object.keys(present)) if (!Object.hasOwn(target, key)) fields.delete(key);
  for (const [key, value] of Object.entries(target)) {
    if (!sameValue(present[key], value)) fields.set(key, isItems(value) ? [...value] : value);
  }
}

/** A field that was changed on both sides stays as it is: the later word counts. */
function mergeFields(
  base: Readonly<Record<string, FieldValue>>,
  ours: Readonly<Record<string, FieldValue>>,
  theirs: Readonly<Record<string, FieldValue>>,
): Record<string, FieldValue> {
  const merged: Record<string, FieldValue> = {};
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const value = sameValue(ours[key], base[key]) ? theirs[key] : ours[key];
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function sameValue(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isItems(value: LeafState | FieldValue): value is readonly string[] {
  return Array.isArray(value);
}
