import type { CommandPlaces } from "@ikigai/core/host";
import { KNOWN_PROGRAMS, RUNNERS } from "./command-programs.ts";
import { commandOpinion } from "./command-rules.ts";
import { scanSegments, type CommandSegment } from "./command-segments.ts";
import { parseCommand } from "./parse-command.ts";

/** Programs that read what lies below a folder, or below the one that they run in. */
const SEARCHERS: ReadonlySet<string> = new Set(["grep", "rg", "git", "diff"]);

/** A command line that begins with going elsewhere, and goes on only when that went well. */
const CHANGES_FOLDER = /^\s*cd\s+(?:'((?:[^']|'\\'')*)'|(?!-)([\w./-]+))\s*&&\s*/;

/** Commands in words of commands that are looked into, as in `bash -c 'sh -c "…"'`. */
const MAX_DEPTH = 5;
const MAX_PLACES = 1_000;

/**
 * What a command line names, so that it can be held against rules for paths.
 *
 * Contract: never throws. Sees what is written there, also inside substitutions, here-documents for a shell and the
 * argument of `bash -c`; not what variables, globs or programs make of it. So it can add a reason to ask, and finding
 * nothing is no reason to allow.
 */
export function commandPlaces(command: string): CommandPlaces {
  const [change = "", quoted, plain] = CHANGES_FOLDER.exec(command) ?? [];
  const folder = quoted?.replaceAll(String.raw`'\''`, "'") ?? plain;
  const found: Found = { written: new Set(), named: new Set(), read: new Set(), searched: new Set() };
  if (folder !== undefined) found.named.add(folder);
  collect(command.slice(change.length), 0, found);
  const first = (words: ReadonlySet<string>): readonly string[] => [...words].slice(0, MAX_PLACES);
  const { written, named, read, searched } = found;
  return {
    ...(folder !== undefined && { folder }),
    written: first(written),
    named: first(named),
    read: first(read),
    searched: first(searched),
  };
}

type Found = Readonly<Record<Exclude<keyof CommandPlaces, "folder">, Set<string>>>;

function collect(command: string, depth: number, found: Found): void {
  for (const segment of scanSegments(command)) {
    for (const target of segment.written) found.written.add(target);
    if (onlyLooks(segment)) collectRead(segment.words, found);
    else for (const word of segment.words) for (const part of partsOf(word)) found.named.add(part);
    if (depth >= MAX_DEPTH || !segment.words.some((word) => RUNNERS.has(baseName(word)))) continue;
    for (const text of [...segment.words.filter((word) => /[\s;|&<>]/.test(word)), ...segment.documents]) {
      collect(text, depth + 1, found);
    }
  }
}

function collectRead([program = "", ...rest]: readonly string[], { read, searched }: Found): void {
  if (KNOWN_PROGRAMS.get(program)?.isText === true) return;
  const isSearch = SEARCHERS.has(program);
  if (isSearch) searched.add(".");
  for (const part of rest.flatMap(partsOf)) {
    read.add(part);
    if (isSearch) searched.add(part);
  }
}

function onlyLooks({ raw, words, written }: CommandSegment): boolean {
  const [program] = words;
  if (program === undefined || written.length > 0 || !/^[\w.-]+$/.test(program)) return false;
  // `for`, `if` and the other words of the shell's language are no programs, and no rule can name them.
  if (!parseCommand(program).understood) return false;
  return commandOpinion([program], raw).decision === "allow";
}

/** A word, and what stands in it behind `=` or behind a one-letter option: `of=.env`, `--output=x`, `-ox`. */
function partsOf(word: string): readonly string[] {
  const parts = [word];
  const at = word.indexOf("=");
  if (at !== -1) parts.push(word.slice(at + 1));
  if (/^-[A-Za-z]./.test(word)) parts.push(word.slice(2));
  return parts.filter((part) => part !== "" && part !== "-");
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
