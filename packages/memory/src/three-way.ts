import { diffArrays } from "diff";
import { LoroDoc, type LoroText } from "loro-crdt";
import type { Replacement } from "./replace-text.ts";
import { textDelta } from "./text-delta.ts";

// Beyond this a list is told as replaced altogether: the time it takes grows with the square.
const MAX_CHANGED_ITEMS = 1_000;

/** Changes a text container into `target` by its smallest known difference, so that it merges well. */
export function setText(container: LoroText, target: string): void {
  spliceText(container, textDelta(container.toString(), target));
}

/** Makes replacements in a text container, from the last to the first. */
export function spliceText(container: LoroText, replacements: readonly Replacement[]): void {
  for (const { start, end, insert } of replacements.toReversed()) {
    // Inserted behind what it replaces, it keeps that place among the insertions of others in front of it.
    if (insert !== "") container.insert(end, insert);
    if (end > start) container.delete(start, end - start);
  }
}

/** What `base` becomes when both the change to `ours` and the change to `theirs` are made to it. */
export function mergeTexts(base: string, ours: string, theirs: string): string {
  if (ours === base) return theirs;
  if (theirs === base) return ours;
  const left = new LoroDoc();
  left.getText("text").insert(0, base);
  left.commit();
  const right = left.fork();
  setText(left.getText("text"), ours);
  setText(right.getText("text"), theirs);
  left.import(right.export({ mode: "update" }));
  return left.getText("text").toString();
}

/** The same for items in an order. */
export function mergeLists(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const merged: string[] = [];
  const mine = changesByItem(base, ours);
  const other = changesByItem(base, theirs);
  for (let at = 0; at <= base.length; at++) {
    merged.push(...(mine.inserted.get(at) ?? []), ...(other.inserted.get(at) ?? []));
    const item = base[at];
    if (item !== undefined && !mine.removed.has(at) && !other.removed.has(at)) merged.push(item);
  }
  return merged;
}

function changesByItem(
  base: readonly string[],
  changed: readonly string[],
): { readonly removed: ReadonlySet<number>; readonly inserted: ReadonlyMap<number, readonly string[]> } {
  const removed = new Set<number>();
  const inserted = new Map<number, readonly string[]>();
  let at = 0;
  const parts = diffArrays([...base], [...changed], { maxEditLength: MAX_CHANGED_ITEMS }) ?? [
    { value: [...base], count: base.length, removed: true, added: false },
    { value: [...changed], count: changed.length, removed: false, added: true },
  ];
  for (const part of parts) {
    if (part.added) inserted.set(at, [...(inserted.get(at) ?? []), ...part.value]);
    else {
      if (part.removed) for (let item = at; item < at + part.count; item++) removed.add(item);
      at += part.count;
    }
  }
  return { removed, inserted };
}
