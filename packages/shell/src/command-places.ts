import { RUNNERS } from "./command-programs.ts";
import { commandOpinion } from "./command-rules.ts";
import { scanSegments, type CommandSegment } from "./command-segments.ts";
import { parseCommand } from "./parse-command.ts";

/** The places that a command line names, as far as its text shows them. */
export interface CommandPlaces {
  /** Where redirections write. */
  readonly written: readonly string[];
  /** Words of programs that are not known to only look. Any of them may be a path, and may be written. */
  readonly named: readonly string[];
}

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
  const written = new Set<string>();
  const named = new Set<string>();
  collect(command, 0, written, named);
  return { written: [...written].slice(0, MAX_PLACES), named: [...named].slice(0, MAX_PLACES) };
}

function collect(command: string, depth: number, written: Set<string>, named: Set<string>): void {
  for (const segment of scanSegments(command)) {
    for (const target of segment.written) written.add(target);
    const isHarmless = onlyLooks(segment);
    for (const word of isHarmless ? [] : segment.words) for (const part of partsOf(word)) named.add(part);
    if (depth >= MAX_DEPTH || !segment.words.some((word) => RUNNERS.has(baseName(word)))) continue;
    for (const text of [...segment.words.filter((word) => /[\s;|&<>]/.test(word)), ...segment.documents]) {
      collect(text, depth + 1, written, named);
    }
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
