import { IkigaiError } from "@ikigai/core";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type Pair,
  type Scalar,
  type YAMLSeq,
} from "yaml";
import { findFrontMatter } from "../markdown/front-matter-range.ts";
import { readFrontMatter } from "./front-matter.ts";
import { lineEnding, splice, withLineEnding } from "./lines.ts";

/** New values by key. `null` or `undefined` removes the key. */
export type PropertyChanges = Readonly<Record<string, unknown>>;

type TopPair = Pair<Scalar>;

/**
 * Changes keys of the front matter, which is made when there is none.
 *
 * Contract: only the lines of the keys that change are touched; comments, order and quoting of all others stay to the
 * byte. Front matter that cannot be read is `invalid_input` and stays as it is.
 */
export function editProperties(text: string, changes: PropertyChanges): string {
  return Object.entries(changes).reduce((current, [key, value]) => editProperty(current, key, value ?? null), text);
}

function editProperty(text: string, key: string, value: unknown): string {
  const ending = lineEnding(text);
  const range = findFrontMatter(text);
  if (range === undefined) {
    if (value === null) return text;
    const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    return splice(text, start, start, withLineEnding(`---\n${pairText(key, value)}---\n`, ending));
  }
  const front = readFrontMatter(text);
  if (front?.problem !== undefined) throw unreadable(front.problem);
  const yaml = text.slice(range.yamlStart, range.yamlEnd);
  const edited = editYaml(yaml, key, value, ending);
  if (edited === yaml) return text;
  const result = splice(text, range.yamlStart, range.yamlEnd, edited);
  const problem = readFrontMatter(result)?.problem;
  if (problem !== undefined || findFrontMatter(result) === undefined) throw unreadable(problem ?? "the key breaks it");
  return result;
}

function editYaml(yaml: string, key: string, value: unknown, ending: "\n" | "\r\n"): string {
  const document = parseDocument(yaml, { logLevel: "silent" });
  const map = document.contents;
  if (map === null) return value === null ? yaml : yaml + withLineEnding(pairText(key, value), ending);
  if (!isMap(map) || map.flow === true) return editFlow(document, key, value, ending);
  const pairs = map.items as TopPair[];
  const index = pairs.findIndex((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  const pair = pairs[index];
  if (pair === undefined) {
    if (value === null) return yaml;
    const end = contentEnd(yaml, startOf(pairs.at(-1) as TopPair), yaml.length);
    const gap = yaml[end - 1] === "\n" ? "" : ending;
    return splice(yaml, end, end, gap + withLineEnding(pairText(key, value), ending));
  }
  if (same((pair.value as { toJS?(doc: Document): unknown } | null)?.toJS?.(document) ?? null, value)) return yaml;
  const start = startOf(pair);
  const next = pairs[index + 1];
  const end = contentEnd(yaml, start, next === undefined ? yaml.length : lineStart(yaml, startOf(next)));
  const comments = marginComments(yaml.slice(start, end));
  if (value === null) return splice(yaml, lineStart(yaml, start), end, comments);
  const kept = editInPlace(yaml, pair, value, ending);
  return kept ?? splice(yaml, start, end, withLineEnding(pairText(key, value), ending) + comments);
}

/** The comments at the margin among a key's lines, which belong to nobody and stay. */
function marginComments(lines: string): string {
  return (lines.match(/^#.*\n?/gm) ?? []).join("");
}

/** Changes a plain value, or adds and takes away items of a list, without touching the comments beside them. */
function editInPlace(yaml: string, pair: TopPair, value: unknown, ending: "\n" | "\r\n"): string | undefined {
  const node = pair.value;
  const line = inlineText(value);
  if (isScalar(node) && node.range && node.range[1] > node.range[0] && line !== undefined) {
    const isBlock = node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED";
    return isBlock || node.anchor !== undefined ? undefined : splice(yaml, node.range[0], node.range[1], line);
  }
  if (!isSeq(node) || !Array.isArray(value) || !node.range || node.anchor !== undefined) return undefined;
  if (node.flow === true) return line === undefined ? undefined : splice(yaml, node.range[0], node.range[1], line);
  return editList(yaml, node, value, ending);
}

function editList(yaml: string, list: YAMLSeq, value: readonly unknown[], ending: "\n" | "\r\n"): string | undefined {
  const items = list.items;
  if (!items.every((item) => isScalar(item) && item.range && item.range[1] > item.range[0]) || value.length === 0) {
    return undefined;
  }
  const scalars = items as (Scalar & { range: [number, number, number] })[];
  const old = scalars.map((item) => item.value);
  const kept = old.filter((item) => value.some((wanted) => same(item, wanted)));
  const added = value.filter((wanted) => !old.some((item) => same(item, wanted)));
  if (!same([...kept, ...added], value) || kept.length === 0) return undefined;
  let result = yaml;
  const last = scalars.at(-1) as (typeof scalars)[number];
  if (added.length > 0) {
    const at = lineEndAt(yaml, last.range[1]);
    const indent = yaml.slice(lineStart(yaml, last.range[0]), last.range[0]).match(/^\s*-\s+/)?.[0] ?? "  - ";
    const lines = added.map((item) => `${indent}${inlineText(item) ?? JSON.stringify(item)}${ending}`).join("");
    result = splice(result, at, at, (yaml[at - 1] === "\n" ? "" : ending) + lines);
  }
  for (const item of scalars.toReversed()) {
    if (value.some((wanted) => same(item.value, wanted))) continue;
    result = splice(result, lineStart(yaml, item.range[0]), lineEndAt(yaml, item.range[1]), "");
  }
  return result;
}

/** JSON-like front matter has no lines of its own for each key, so it is written anew. */
function editFlow(document: Document, key: string, value: unknown, ending: "\n" | "\r\n"): string {
  if (value === null) document.delete(key);
  else document.set(key, value);
  return withLineEnding(document.toString({ lineWidth: 0 }), ending);
}

function pairText(key: string, value: unknown): string {
  return stringify({ [key]: value }, { lineWidth: 0 });
}

/** The value on one line, or `undefined` when it takes more. */
function inlineText(value: unknown): string | undefined {
  const text = stringify(value, { lineWidth: 0, collectionStyle: "flow", flowCollectionPadding: false }).trimEnd();
  return text.includes("\n") ? undefined : text;
}

function startOf(pair: TopPair): number {
  return pair.key.range?.[0] ?? 0;
}

/** The end of a key's lines: blank lines and comments at the margin before the next key belong to that one. */
function contentEnd(yaml: string, start: number, limit: number): number {
  let end = limit;
  for (;;) {
    const from = lineStart(yaml, end - 1);
    if (from <= start || end <= start) return end;
    const line = yaml.slice(from, end).trimEnd();
    if (line !== "" && !line.startsWith("#")) return end;
    end = from;
  }
}

function lineStart(yaml: string, at: number): number {
  return at <= 0 ? 0 : yaml.lastIndexOf("\n", at - 1) + 1;
}

function lineEndAt(yaml: string, at: number): number {
  const newline = yaml.indexOf("\n", at);
  return newline === -1 ? yaml.length : newline + 1;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function unreadable(problem: string): IkigaiError {
  return new IkigaiError("invalid_input", `The front matter cannot be edited: ${problem}`, {
    hint: "Repair the YAML between the --- lines first.",
  });
}
