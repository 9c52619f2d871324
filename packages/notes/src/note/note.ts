import { findFrontMatter } from "../markdown/front-matter-range.ts";
import { type NoteScan, scanNote } from "./scan-note.ts";

/** A note's text in its parts, and what it says. */
export interface Note extends NoteScan {
  /** A byte order mark and the opening fence with its line ending, as far as there are any. */
  readonly opening: string;
  /** The YAML between the fences, as written. */
  readonly yaml: string;
  /** The closing fence with its line ending. */
  readonly closing: string;
  readonly body: string;
}

/** Reads a note. Contract: never throws; {@link serialiseNote} gives back the same text. */
export function parseNote(text: string): Note {
  const scan = scanNote(text);
  const range = findFrontMatter(text);
  const yamlStart = range?.yamlStart ?? scan.bodyStart;
  const yamlEnd = range?.yamlEnd ?? scan.bodyStart;
  return {
    ...scan,
    opening: text.slice(0, yamlStart),
    yaml: text.slice(yamlStart, yamlEnd),
    closing: text.slice(yamlEnd, scan.bodyStart),
    body: text.slice(scan.bodyStart),
  };
}

/** The text of a note: byte for byte what was read, as nothing is written anew. */
export function serialiseNote({ opening, yaml, closing, body }: Note): string {
  return opening + yaml + closing + body;
}
