import { IkigaiError } from "@ikigai/core";
import type { ResourcePlace } from "./resource-uri.ts";
import type { ResourcePart } from "./resources.ts";

/**
 * The part of a text that one answer has room for, and a second part that says where it goes on.
 *
 * Contract: a text that is read as a whole keeps the URI that was asked for; `invalid_input` for an offset behind its end.
 */
export function textParts(
  text: string,
  { uri: asked, address, offset }: ResourcePlace & { uri: string },
  maxChars: number,
): ResourcePart[] {
  if (offset > text.length) {
    throw new IkigaiError(
      "invalid_input",
      `${address.path} has ${text.length} characters, offset ${offset} is behind`,
      { hint: `Use an offset from 0 to ${text.length}.` },
    );
  }
  const end = endOf(text, offset, maxChars);
  const part = {
    uri: asked,
    mimeType: mimeTypeOf(address.path),
    text: text.slice(offset, end),
  };
  if (end >= text.length) return [part];
  const [file = ""] = asked.split("?", 1);
  const uri = `${file}?offset=${end}`;
  const said = `[Characters ${offset} to ${end} of ${text.length} were shown. Read ${uri} to go on.]`;
  return [part, { uri, mimeType: "text/plain", text: said }];
}

/** Where a part ends: behind a line where that wastes less than half, and never inside a character. */
function endOf(text: string, offset: number, maxChars: number): number {
  const end = offset + maxChars;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (line > offset + maxChars / 2) return line;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

export function mimeTypeOf(path: string): string {
  return path.endsWith(".md") ? "text/markdown" : "text/plain";
}
