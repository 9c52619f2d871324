import { IkigaiError } from "@ikigai/core";
import { lineEnding, splice, withLineEnding } from "./lines.ts";
import { scanNote } from "./scan-note.ts";
import { findSection, sectionPath } from "./sections.ts";

/** Replaces the body. Front matter stays as it is, to the byte, unless the new text brings its own. */
export function replaceBody(text: string, content: string): string {
  const scan = scanNote(text);
  const brings = scanNote(content);
  const hasFrontMatter = scan.bodyStart > 1;
  if (!hasFrontMatter || brings.bodyStart > 1) return content;
  return text.slice(0, scan.bodyStart) + withLineEnding(content, lineEnding(text));
}

/** Adds `content` as new lines at the end. */
export function appendText(text: string, content: string): string {
  const ending = lineEnding(text);
  const gap = text === "" || text.endsWith("\n") ? "" : ending;
  const added = withLineEnding(content, ending);
  return text + gap + added + (added.endsWith("\n") || text === "" ? "" : ending);
}

/** Replaces what stands below a heading; the heading itself and everything outside stay. */
export function replaceSection(text: string, section: string, content: string): string {
  const ending = lineEnding(text);
  const found = findSection(text, scanNote(text), sectionPath(section));
  const isBlock = found.contentStart === found.start;
  if (isBlock) return splice(text, found.start, found.end, withLineEnding(content, ending));
  const isLast = found.end === text.length;
  const before = text.slice(0, found.contentStart);
  const opening = before.endsWith("\n") ? "" : ending;
  const body = withLineEnding(content, ending).replace(/(?:\r?\n)+$/, "");
  const closing = isLast ? ending : ending + ending;
  return `${before}${opening}${body}${body === "" ? "" : closing}${text.slice(found.end)}`;
}

/**
 * Replaces `old` by `wanted`.
 *
 * Contract: `old` must occur exactly once; otherwise `not_found` or `ambiguous`, and nothing changes.
 */
export function findReplace(text: string, old: string, wanted: string): string {
  if (old === "")
    throw new IkigaiError("invalid_input", "The text to find is empty", { hint: "Give the text to find." });
  if (old === wanted) {
    throw new IkigaiError("invalid_input", "The text to find and its replacement are the same", {
      hint: "Give a replacement that differs.",
    });
  }
  const ending = lineEnding(text);
  const needle = text.includes(old) ? old : withLineEnding(old, ending);
  const at = text.indexOf(needle);
  if (at === -1) {
    throw new IkigaiError("not_found", `The text to find does not occur: ${JSON.stringify(old.slice(0, 80))}`, {
      hint: "Read the note and copy the text exactly.",
    });
  }
  const count = text.split(needle).length - 1;
  if (count > 1) {
    throw new IkigaiError("ambiguous", `The text to find occurs ${count} times`, {
      hint: "Include more of the surrounding text, so that it occurs once.",
      details: { match_count: count },
    });
  }
  return splice(text, at, at + needle.length, withLineEnding(wanted, ending));
}
