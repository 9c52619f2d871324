import type { Truncation } from "../tool/tool.ts";

/** Keeps a text that is too long for an answer to `agent`, and says under which address that agent can read it. */
export type KeepOutput = (callId: string, text: string, agent: string) => Promise<string>;

export interface BoundedOutput {
  readonly data: unknown;
  readonly truncated?: Truncation;
}

/** A text or list that was cut: the whole text, when it was one, and how much of it is still shown. */
interface Cut {
  readonly text?: string;
  readonly shown: number;
}

/** Deeper than this, a part is shown as the beginning of its JSON. */
const MAX_DEPTH = 12;

/**
 * Makes `data` fit into `limit` characters of JSON, which are at least two.
 *
 * Contract: what fits is returned untouched. Otherwise the longest texts and lists are cut, short fields stay, and the
 * whole is handed to `keep` first: the text itself when one text was too long, else everything as JSON. Throws for what
 * is no JSON, such as a circle.
 */
export async function boundOutput(
  data: unknown,
  limit: number,
  keep?: (text: string) => Promise<string | undefined>,
): Promise<BoundedOutput> {
  if (mostJson(data, limit) <= limit) return { data };
  const json = JSON.stringify(data) as string | undefined;
  if (json === undefined) return { data: null };
  if (json.length <= limit) return { data };
  const cuts: Cut[] = [];
  const shrunk = shrink(JSON.parse(json), json.length, limit, cuts, 0);
  const fits = JSON.stringify(shrunk).length <= limit;
  const shown = fits ? shrunk : cutText(json, limit);
  const only = fits && cuts.length === 1 ? cuts[0] : undefined;
  const whole = only?.text ?? json;
  const shown_chars = only?.text === undefined ? JSON.stringify(shown).length : only.shown;
  const kept = await keep?.(whole);
  const next_line = only?.text === undefined ? undefined : lineAt(only.text, only.shown);
  return {
    data: shown,
    truncated: {
      ...(kept !== undefined && { kept }),
      total_chars: whole.length,
      shown_chars,
      ...(next_line !== undefined && { next_line }),
    },
  };
}

/** A character becomes at most this many. */
const LONGEST_ESCAPE = 6;
/** Longest JSON of a number, boolean or null, in characters. */
const LONGEST_WORD = 25;

/**
 * As many characters as the JSON of `value` can have, without making it: to say of most answers that they fit.
 *
 * Contract: infinite as soon as it is more than `limit`, so that the work is bounded, and for what is not made of plain
 * objects, lists, texts, numbers, truths and null.
 */
export function mostJson(value: unknown, limit: number = Number.POSITIVE_INFINITY, depth = 0): number {
  if (typeof value === "string") return within(value.length * LONGEST_ESCAPE + 2, limit);
  if (typeof value === "number" || typeof value === "boolean" || value === null) return within(LONGEST_WORD, limit);
  if (typeof value !== "object" || depth === MAX_DEPTH || "toJSON" in value) return Number.POSITIVE_INFINITY;
  const isList = Array.isArray(value);
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return Number.POSITIVE_INFINITY;
  let most = 2;
  // A hole in a list counts as what it becomes.
  for (const [key, part] of isList ? value.entries() : Object.entries(value)) {
    const name = typeof key === "string" ? key.length * LONGEST_ESCAPE + 4 : 1;
    most += name + (part === undefined ? LONGEST_WORD : mostJson(part, limit - most - name, depth + 1));
    if (most > limit) return Number.POSITIVE_INFINITY;
  }
  return most;
}

function within(size: number, limit: number): number {
  return size <= limit ? size : Number.POSITIVE_INFINITY;
}

/** Shares `room` among the parts of a value whose JSON has `size` characters: small ones get what they need, what is left goes to the large ones. */
function shrink(value: unknown, size: number, room: number, cuts: Cut[], depth: number): unknown {
  if (size <= room) return value;
  if (typeof value === "string") {
    const shown = cutText(value, room);
    cuts.push({ text: value, shown: shown.length });
    return shown;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) {
    const shown = cutText(JSON.stringify(value), room);
    cuts.push({ shown: shown.length });
    return shown;
  }
  if (Array.isArray(value)) return shrinkList(value, room, cuts, depth);
  const entries = Object.entries(value).map(([key, part]) => ({ key, part, size: JSON.stringify(part).length }));
  let left = room - 2 - entries.reduce((sum, { key }) => sum + JSON.stringify(key).length + 2, 0);
  const shares = new Map<string, number>();
  for (const [index, entry] of entries.toSorted((a, b) => a.size - b.size).entries()) {
    const share = Math.min(entry.size, Math.floor(left / (entries.length - index)));
    shares.set(entry.key, share);
    left -= share;
  }
  return Object.fromEntries(
    entries.map(({ key, part, size }) => [key, shrink(part, size, shares.get(key) as number, cuts, depth + 1)]),
  );
}

/** Keeps whole items from the front of a list; when not even one fits, the first item is cut. */
function shrinkList(list: readonly unknown[], room: number, cuts: Cut[], depth: number): unknown[] {
  const shown: unknown[] = [];
  let left = room - 2;
  for (const item of list) {
    const size = JSON.stringify(item).length + 1;
    if (size > left) break;
    shown.push(item);
    left -= size;
  }
  if (shown.length === 0 && list.length > 0) {
    shown.push(shrink(list[0], JSON.stringify(list[0]).length, left, cuts, depth + 1));
  }
  cuts.push({ shown: shown.length });
  return shown;
}

/** The beginning of `text` that fits into `room` characters of JSON. Never half of a surrogate pair. */
export function cutText(text: string, room: number): string {
  let end = Math.max(room - 2, 0);
  // Escaping makes JSON longer than the text.
  while (end > 0 && JSON.stringify(text.slice(0, end)).length > room) end = Math.floor(end * 0.8);
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, "");
}

/** The line that the character at `end` belongs to, counted from 1. */
function lineAt(text: string, end: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
