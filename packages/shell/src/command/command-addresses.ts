/** A place in a command where an address stands as a word of its own, or behind `name=`. */
export interface AddressWord {
  /** `name=`, or empty. */
  readonly prefix: string;
  /** The address with its quotes resolved. */
  readonly address: string;
  /** The whole word: from `start` up to `end` of the command. */
  readonly start: number;
  readonly end: number;
}

const ADDRESS = /^([A-Za-z_-][A-Za-z0-9_-]*=|)([a-z][a-z0-9-]{0,31}:\/\/\/.+)$/s;
/** Characters that end a word outside of quotes. */
const BREAKS = " \t\n;&|<>()`";
/** Substitutions within substitutions that are looked into. */
const MAX_DEPTH = 50;

/**
 * The addresses in a command, in order: `wc -w ikigai:///a.md`, `cp 'note:///my file.md' src/`, `dd of=note:///x`.
 *
 * Contract: never throws, linear. Only literal words count. What a shell takes as text is left alone: comments, the
 * body of a here-document, part of a longer word, quoted commands. What a substitution runs is looked into.
 */
export function findAddressWords(command: string): readonly AddressWord[] {
  const found: AddressWord[] = [];
  if (command.includes(":///")) scan(command, 0, { found, depth: 0 });
  return found;
}

interface Scan {
  readonly found: AddressWord[];
  /** Number of substitutions around the present place. */
  readonly depth: number;
}

/** Reads a command from `from` to its end, or to the parenthesis that closes the substitution it stands in. */
function scan(command: string, from: number, state: Scan): number {
  const heredocs: { readonly delimiter: string; readonly tabs: boolean }[] = [];
  let open = 0;
  let at = from;
  while (at < command.length) {
    const char = command[at] as string;
    if (char === ")" && open-- === 0 && state.depth > 0) return at + 1;
    if (char === "(") open++;
    if (char === "\n") {
      at = skipHeredocs(command, at + 1, heredocs);
    } else if (char === "#") {
      at = indexOrEnd(command, "\n", at);
    } else if (command.startsWith("<<<", at)) {
      at += 3;
    } else if (command.startsWith("<<", at)) {
      const tabs = command[at + 2] === "-";
      at = skipBlanks(command, at + (tabs ? 3 : 2));
      const word = readWord(command, at, { found: [], depth: state.depth });
      if (word.text !== "") heredocs.push({ delimiter: word.text, tabs });
      at = word.end;
    } else if (BREAKS.includes(char)) {
      at++;
    } else {
      const word = readWord(command, at, state);
      const [, prefix = "", address] = (word.literal && ADDRESS.exec(word.text)) || [];
      if (address !== undefined) state.found.push({ prefix, address, start: at, end: word.end });
      at = word.end;
    }
  }
  return at;
}

interface Word {
  readonly text: string;
  readonly end: number;
  /** Whether it means exactly `text`, whatever the shell knows. */
  readonly literal: boolean;
}

function readWord(command: string, from: number, state: Scan): Word {
  let text = "";
  let literal = true;
  let at = from;
  while (at < command.length) {
    const char = command[at] as string;
    if (BREAKS.includes(char)) break;
    if (char === "'") {
      const end = indexOrEnd(command, "'", at + 1);
      text += command.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = readDoubleQuotes(command, at + 1, state);
      text += quoted.text;
      literal &&= quoted.literal;
      at = quoted.end;
    } else if (char === "\\") {
      text += command.slice(at + 1, at + 2);
      at += 2;
    } else if (char === "$") {
      literal = false;
      at = skipExpansion(command, at, state);
    } else {
      if ("*?[]{}~".includes(char)) literal = false;
      text += char;
      at++;
    }
  }
  return { text, end: Math.min(at, command.length), literal };
}

function readDoubleQuotes(command: string, from: number, state: Scan): Word {
  let text = "";
  let literal = true;
  let at = from;
  while (at < command.length && command[at] !== '"') {
    const char = command[at] as string;
    if (char === "$") {
      literal = false;
      at = skipExpansion(command, at, state);
    } else if (char === "`") {
      literal = false;
      at = indexOrEnd(command, "`", at + 1) + 1;
    } else if (char === "\\") {
      text += command.slice(at + 1, at + 2);
      at += 2;
    } else {
      text += char;
      at++;
    }
  }
  return { text, end: at + 1, literal };
}

/** Behind a `$`: looks into `$(…)`, steps over `${…}`. */
function skipExpansion(command: string, at: number, state: Scan): number {
  if (command[at + 1] === "(" && state.depth < MAX_DEPTH) {
    return scan(command, at + 2, { found: state.found, depth: state.depth + 1 });
  }
  if (command[at + 1] === "{") return indexOrEnd(command, "}", at + 2) + 1;
  return at + 1;
}

/** Steps over the bodies of the here-documents that were announced on the line before. */
function skipHeredocs(
  command: string,
  from: number,
  heredocs: { readonly delimiter: string; readonly tabs: boolean }[],
): number {
  let at = from;
  for (const { delimiter, tabs } of heredocs.splice(0)) {
    while (at < command.length) {
      const end = indexOrEnd(command, "\n", at);
      const line = command.slice(at, end);
      at = end + 1;
      if ((tabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
    }
  }
  return at;
}

function skipBlanks(command: string, from: number): number {
  let at = from;
  while (command[at] === " " || command[at] === "\t") at++;
  return at;
}

function indexOrEnd(command: string, char: string, from: number): number {
  const at = command.indexOf(char, from);
  return at === -1 ? command.length : at;
}

/** `text` as one word of a shell command. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
