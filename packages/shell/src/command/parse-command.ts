import { findHidden } from "@ikigai/core/host";

/** One program with its arguments, or why a command is not just that. */
export type ParsedCommand =
  | { readonly understood: true; readonly words: readonly [string, ...string[]] }
  | { readonly understood: false; readonly reason: string };

const MAX_LENGTH = 10_000;
/** Characters that mean themselves in every shell when they stand outside of quotes, also at the start of a word. */
const PLAIN = /[\p{L}\p{M}\p{N}_@%+=:,./^-]/u;
/** What a shell may take for a space or the end of a line, and what means nothing yet. */
const SPACE_OR_UNASSIGNED = /\n|(?! )\p{Z}|\p{Cn}/u;
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=/s;
const KEYWORDS: ReadonlySet<string> = new Set(
  "! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while".split(" "),
);
const ESCAPED_IN_QUOTES = '$`"\\';

/**
 * Reads a command line that is one simple command of literal words, with quotes resolved.
 *
 * Contract: never throws, linear. Whatever a shell could take for more than literal words is not understood: chaining,
 * redirection, substitution, variables, globs, braces, tildes, comments, assignments, keywords, line breaks.
 */
export function parseCommand(command: string): ParsedCommand {
  if (command.length > MAX_LENGTH) return notUnderstood(`it is longer than ${MAX_LENGTH} characters`);
  const words: string[] = [];
  let at = 0;
  while (at < command.length) {
    if (command[at] === " " || command[at] === "\t") {
      at++;
      continue;
    }
    const word = readWord(command, at);
    if (typeof word === "string") return notUnderstood(word);
    words.push(word.text);
    at = word.end;
  }
  const [program, ...rest] = words;
  if (program === undefined || program === "") return notUnderstood("it names no program");
  if (KEYWORDS.has(program)) return notUnderstood(`"${program}" is a word of the shell's language`);
  if (ASSIGNMENT.test(program)) return notUnderstood("it sets a variable");
  return { understood: true, words: [program, ...rest] };
}

/** The word that starts at `from`, or why it is not literal. */
function readWord(command: string, from: number): { readonly text: string; readonly end: number } | string {
  let text = "";
  let at = from;
  while (at < command.length) {
    const char = String.fromCodePoint(command.codePointAt(at) as number);
    if (char === " " || char === "\t") break;
    if (char === "'") {
      const end = command.indexOf("'", at + 1);
      if (end === -1) return "a quote is not closed";
      text += command.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = readDoubleQuotes(command, at + 1);
      if (typeof quoted === "string") return quoted;
      text += quoted.text;
      at = quoted.end;
    } else if (char === "\\") {
      const next = command.codePointAt(at + 1);
      if (next === undefined) return "it ends with a backslash";
      const escaped = String.fromCodePoint(next);
      text += escaped;
      at += 1 + escaped.length;
    } else if (PLAIN.test(char)) {
      text += char;
      at += char.length;
    } else {
      return `${JSON.stringify(char)} has a meaning for the shell`;
    }
  }
  const hidden = findHidden(text) ?? SPACE_OR_UNASSIGNED.exec(text)?.[0];
  return hidden === undefined ? { text, end: at } : `it contains an invisible character (${codeOf(hidden)})`;
}

function readDoubleQuotes(command: string, from: number): { readonly text: string; readonly end: number } | string {
  let text = "";
  let at = from;
  while (at < command.length) {
    const char = command[at] as string;
    if (char === '"') return { text, end: at + 1 };
    if (char === "$" || char === "`") return `${JSON.stringify(char)} has a meaning for the shell inside quotes`;
    if (char === "\\" && ESCAPED_IN_QUOTES.includes(command[at + 1] ?? " ")) at++;
    text += command[at] as string;
    at++;
  }
  return "a quote is not closed";
}

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`;
}

function notUnderstood(reason: string): ParsedCommand {
  return { understood: false, reason };
}
