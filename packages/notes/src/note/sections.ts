import { IkigaiError } from "@ikigai/core";
import type { ScannedHeading } from "../markdown/scan.ts";
import type { NoteScan } from "./scan-note.ts";

/** A stretch of a note below a heading, or the block of a `^id`. */
export interface Section {
  /** Where it starts: the heading's line, or the block. */
  readonly start: number;
  /** Offset behind the heading's line ending; for a block its start. */
  readonly contentStart: number;
  readonly end: number;
}

/**
 * The section that `path` names: headings from the outer to the inner one, or a last part `^id` for a block.
 *
 * Contract: compares as Obsidian does, without regard to case, marks and repeated spaces; the first match counts;
 * `not_found` lists the headings there are.
 */
export function findSection(text: string, scan: NoteScan, path: readonly string[]): Section {
  const last = path.at(-1) ?? "";
  if (last.startsWith("^")) return findBlock(scan, last.slice(1));
  let from = 0;
  let level = 0;
  let found = -1;
  for (const part of path) {
    found = nextHeading(scan.headings, headingKey(part), from, level);
    if (found === -1) throw missingSection(path, scan.headings);
    level = (scan.headings[found] as ScannedHeading).level;
    from = found + 1;
  }
  const heading = scan.headings[found];
  if (heading === undefined) throw missingSection(path, scan.headings);
  const next = scan.headings.slice(found + 1).find((other) => other.level <= heading.level);
  const newline = text.indexOf("\n", heading.end);
  return {
    start: heading.start,
    contentStart: newline === -1 ? text.length : newline + 1,
    end: next?.start ?? text.length,
  };
}

/** Splits `Heading#Sub` or `Heading > Sub` into its parts. */
export function sectionPath(section: string): string[] {
  return section
    .split(/#|(?:^|\s)>\s/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function nextHeading(headings: readonly ScannedHeading[], key: string, from: number, level: number): number {
  for (let at = from; at < headings.length; at += 1) {
    const heading = headings[at] as ScannedHeading;
    if (from > 0 && heading.level <= level) return -1;
    if (headingKey(heading.text) === key) return at;
  }
  return -1;
}

function findBlock(scan: NoteScan, id: string): Section {
  const block = scan.blocks.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (block !== undefined) return { start: block.start, contentStart: block.start, end: block.end };
  const ids = scan.blocks.map((one) => `^${one.id}`).slice(0, 20);
  throw new IkigaiError("not_found", `There is no block "^${id}"`, {
    hint: ids.length === 0 ? "The note has no blocks with an id." : `Blocks are: ${ids.join(", ")}.`,
    details: { error_type: "not_found", block: id, blocks: ids },
  });
}

/** Headings are compared without marks, since links leave them out. */
function headingKey(text: string): string {
  return text
    .replaceAll(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .normalize("NFC")
    .toLowerCase();
}

function missingSection(path: readonly string[], headings: readonly ScannedHeading[]): IkigaiError {
  const names = headings.map(({ text }) => text).slice(0, 20);
  return new IkigaiError("not_found", `There is no section ${JSON.stringify(path.join(" > "))}`, {
    hint: names.length === 0 ? "The note has no headings." : `Headings are: ${names.join(", ")}.`,
    details: { error_type: "not_found", section: path.join("#"), headings: names },
  });
}
