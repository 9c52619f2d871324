import type { ScannedLink } from "../markdown/scan.ts";
import { splice } from "../note/lines.ts";
import { scanNote } from "../note/scan-note.ts";
import type { LinkChange } from "./intent-store.ts";

/** Writes the changed links into `text`. Everything between them stays. */
export function rewriteLinks(text: string, changes: readonly LinkChange[]): string {
  if (changes.length === 0) return text;
  const wanted = new Map(changes.map((change) => [`${change.kind} ${change.raw}`, change.wanted]));
  const edits = scanNote(text).links.flatMap((link) => {
    const change = wanted.get(`${link.kind} ${link.raw}`);
    return change === undefined || link.start === -1
      ? []
      : [{ ...rawRange(text, link), wanted: quoted(text, link, change) }];
  });
  return edits.toReversed().reduce((current, { start, end, wanted: raw }) => splice(current, start, end, raw), text);
}

/** Where the link's own text stands, inside its brackets. */
function rawRange(text: string, link: ScannedLink): { readonly start: number; readonly end: number } {
  if (link.kind === "markdown") {
    const at = text.lastIndexOf(link.raw, link.end - 1 - link.raw.length);
    return { start: at, end: at + link.raw.length };
  }
  const start = link.start + (link.embed ? 3 : 2);
  return { start, end: start + link.raw.length };
}

/** Inside quoted YAML, quotes and backslashes have to be written as YAML wants them. */
function quoted(text: string, { kind, start }: ScannedLink, wanted: string): string {
  const quote = kind === "property" ? text[start - 1] : undefined;
  if (quote === '"') return JSON.stringify(wanted).slice(1, -1);
  return quote === "'" ? wanted.replaceAll("'", "''") : wanted;
}
