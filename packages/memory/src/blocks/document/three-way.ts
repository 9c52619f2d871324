import { diffArrays } from "diff";
import type { LoroDoc, LoroText } from "loro-crdt/base64";
import { inText } from "./in-container.ts";
import { applyReplacements, type Replacement } from "../../text/replace-text.ts";
import { textDelta } from "./text-delta.ts";

// Beyond this a list is told as replaced altogether: the time it takes grows with the square.
const MAX_CHANGED_ITEMS = 1_000;
const MAX_SPLICES = 1_000;

/** Changes a text container into `target` by its smallest known difference, so that it merges well. */
export function setText(doc: LoroDoc, name: string, target: string): void {
  inText(doc, name, (container) => spliceText(container, textDelta(container.toString(), target)));
}

/** Makes replacements in a text container, from the last to the first. */
export function spliceText(container: LoroText, replacements: readonly Replacement[]): void {
  for (const { start, end, insert } of coarsen(container, replacements).toReversed()) {
    // Inserted behind what it replaces, it keeps that place among the insertions of others in front of it.
    if (insert !== "") container.insert(end, insert);
    if (end > start) container.delete(start, end - start);
  }
}

/** Neighbours become one: a document takes few large replacements faster than many small ones. */
function coarsen(container: LoroText, replacements: readonly Replacement[]): readonly Replacement[] {
  if (replacements.length <= MAX_SPLICES) return replacements;
  const text = container.toString();
  const size = Math.ceil(replacements.length / MAX_SPLICES);
  const groups: Replacement[] = [];
  for (let at = 0; at < replacements.length; at += size) {
    const group = replacements.slice(at, at + size);
    const start = (group[0] as Replacement).start;
    const end = (group.at(-1) as Replacement).end;
    const inside = group.map((one) => ({ start: one.start - start, end: one.end - start, insert: one.insert }));
    groups.push({ start, end, insert: applyReplacements(text.slice(start, end), inside) });
  }
  return groups;
}

/**
 * What `base` becomes when both the change to `ours` and the change to `theirs` are made to it.
 *
 * Contract: what either side inserted is there; where both inserted at one place, ours comes first.
 */
export function mergeTexts(base: string, ours: string, theirs: string): string {
  if (ours === base) return theirs;
  if (theirs === base) return ours;
  const cuts: Cut[] = [ours, theirs].flatMap((text, side) =>
    textDelta(base, text).flatMap(({ start, end, insert }) => [
      { at: start, side, depth: start === end ? 0 : 1, insert: "" },
      { at: end, side, depth: start === end ? 0 : -1, insert },
    ]),
  );
  const parts: string[] = [];
  let from = 0;
  let removing = 0;
  for (const { at, depth, insert } of cuts.toSorted((a, b) => a.at - b.at || a.side - b.side || a.depth - b.depth)) {
    if (removing === 0) parts.push(base.slice(from, at));
    parts.push(insert);
    from = at;
    removing += depth;
  }
  return parts.join("") + base.slice(from);
}

/** An edge of a replacement: where a removed passage begins, or ends and something is inserted. */
interface Cut {
  readonly at: number;
  readonly side: number;
  readonly depth: number;
  readonly insert: string;
}

/** As {@link mergeTexts}, for the items of a list. */
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
