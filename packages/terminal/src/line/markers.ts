import type { LineBuffer } from "./line-buffer.ts";

/** An `@` or `@@` that is being typed, from `start` to the cursor. */
export interface OpenMarker {
  readonly start: number;
  readonly asset: boolean;
  readonly query: string;
}

const OPEN = /(?:^|[\s([{])(@@?)(?:"([^"\n]*)|([^\s"@:`,;()[\]{}<>]*))$/;
const PLAIN_PATH = /^[^\s"@:`,;()[\]{}<>]+$/;

export function openMarker({ text, cursor }: LineBuffer): OpenMarker | undefined {
  const match = OPEN.exec(text.slice(Math.max(0, cursor - 400), cursor));
  if (match === null) return undefined;
  const [, ats = "@", quoted, bare] = match;
  // A paste in it stands there as half of a surrogate pair.
  if (!(quoted ?? bare ?? "").isWellFormed()) return undefined;
  const typed = `${ats}${quoted === undefined ? "" : '"'}${quoted ?? bare ?? ""}`;
  return { start: cursor - typed.length, asset: ats === "@@", query: quoted ?? bare ?? "" };
}

/** Puts the chosen name in place of what was typed, in quotes when it needs them. */
export function fillMarker({ text, cursor }: LineBuffer, { start, asset }: OpenMarker, name: string): LineBuffer {
  const written = `${asset ? "@@" : "@"}${PLAIN_PATH.test(name) && !/[.!?:'"]$/.test(name) ? name : `"${name}"`} `;
  const after = text.slice(cursor).replace(/^ /, "");
  return { text: text.slice(0, start) + written + after, cursor: start + written.length };
}
