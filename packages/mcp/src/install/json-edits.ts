import { isDeepStrictEqual } from "node:util";
import type { Node } from "jsonc-parser";

/** Indentation and line ends that a JSON file already uses. */
export interface JsonStyle {
  readonly indent: string;
  readonly newline: string;
}

const SPACE_OR_COMMENT = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

export function styleOf(text: string): JsonStyle {
  return {
    indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ",
    newline: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

/** `text` with a property added as the last of `object`. */
export function insertProperty(text: string, object: Node, key: string, value: unknown, style: JsonStyle): string {
  const brace = object.offset + object.length - 1;
  const outer = indentAt(text, object.offset);
  const inner = outer + style.indent;
  const last = object.children?.at(-1);
  const end = last === undefined ? object.offset + 1 : last.offset + last.length;
  const comma = last !== undefined && text[skip(text, end)] === ",";
  const place = text.slice(0, brace).trimEnd().length;
  const property = `${style.newline}${inner}${JSON.stringify(key)}: ${written(value, inner, style)}${comma ? "," : ""}`;
  const closing = text.slice(place, brace).includes("\n") ? "" : `${style.newline}${outer}`;
  return [
    text.slice(0, end),
    last === undefined || comma ? "" : ",",
    text.slice(end, place),
    property,
    closing === "" ? text.slice(place, brace) : closing,
    text.slice(brace),
  ].join("");
}

/** `text` with another value in the place of `node`. Contract: the same text when it is the same value. */
export function replaceValue(text: string, node: Node, value: unknown, style: JsonStyle): string {
  const next = written(value, indentAt(text, node.offset), style);
  const now = text.slice(node.offset, node.offset + node.length);
  if (isSame(now, value)) return text;
  return text.slice(0, node.offset) + next + text.slice(node.offset + node.length);
}

/** `text` without a property of `object`, and without the comma and the line that go with it. */
export function removeProperty(text: string, object: Node, property: Node): string {
  const siblings = object.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  let end = property.offset + property.length;
  const next = skip(text, end);
  let head = text.slice(0, property.offset);
  if (text[next] === ",") {
    end = next + 1;
  } else if (previous !== undefined) {
    const comma = skip(text, previous.offset + previous.length);
    head = text.slice(0, comma) + text.slice(comma + 1, property.offset);
  }
  const line = head.lastIndexOf("\n") + 1;
  const alone = head.slice(line).trim() === "" && /^[ \t]*(?:\r?\n|\})/.test(text.slice(end));
  if (!alone) return head + text.slice(end);
  return head.slice(0, line).replace(/\r?\n$/, "") + text.slice(end).replace(/^[ \t]+(?=\r?\n)/, "");
}

function isSame(now: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(now), JSON.parse(JSON.stringify(value)));
  } catch {
    // Written with comments: replaced as a whole.
    return false;
  }
}

function written(value: unknown, indent: string, { indent: unit, newline }: JsonStyle): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", `${newline}${indent}`);
}

/** The indentation of the line that holds `offset`. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** The offset of the next character that is neither blank nor comment. */
function skip(text: string, offset: number): number {
  SPACE_OR_COMMENT.lastIndex = offset;
  return offset + (SPACE_OR_COMMENT.exec(text)?.[0].length ?? 0);
}
