/** One simple command of a command line, as its text shows it. */
export interface CommandSegment {
  readonly raw: string;
  /** Its words with quotes resolved. What is expanded inside a word is left out of it. */
  readonly words: readonly string[];
  /** The words behind `>`, `>>`, `>|`, `&>` and `<>`. */
  readonly written: readonly string[];
  /** The bodies of its here-documents. */
  readonly documents: readonly string[];
}

const WORD_ENDS = " \t\n;&|<>()";
const REDIRECT = /(?:\d+|&)?(?:>>|>\||>&|<>|<<<|<<-?|<&|>|<)/y;
const OPERATOR = /\n|;;|&&|\|\||\|&|[;&|()]/y;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const MAX_DEPTH = 20;

interface Open {
  start: number;
  words: string[];
  written: string[];
  documents: string[];
}

/**
 * The simple commands of a command line, those inside substitutions too.
 *
 * Contract: never throws, linear. An approximation of the shell's reading that leaves no word out.
 */
export function scanSegments(command: string): readonly CommandSegment[] {
  const segments: CommandSegment[] = [];
  scan(command, 0, "", segments, 0);
  return segments;
}

/** Reads up to `closer` at its own level, or to the end, and gives the position behind it. */
function scan(command: string, from: number, closer: string, segments: CommandSegment[], depth: number): number {
  let at = from;
  let nested = 0;
  let open: Open = emptyAt(at);
  let heredocs: { readonly delimiter: string; readonly tabs: boolean; readonly of: Open }[] = [];
  const ended: { readonly open: Open; readonly end: number }[] = [];
  const finish = (end: number): void => {
    ended.push({ open, end });
    open = emptyAt(end);
  };
  const close = (end: number): number => {
    finish(at);
    for (const { open: one, end: until } of ended) {
      const { start, words, written, documents } = one;
      if (words.length + written.length + documents.length === 0) continue;
      const first = words.findIndex((word) => !ASSIGNMENT.test(word));
      const inOrder = first > 0 ? [...words.slice(first), ...words.slice(0, first)] : words;
      segments.push({ raw: command.slice(start, until).trim(), words: inOrder, written, documents });
    }
    return end;
  };

  while (at < command.length) {
    const char = command[at] as string;
    if (char === closer && nested === 0) return close(at + 1);
    if (char === " " || char === "\t") {
      at++;
      continue;
    }
    if (char === "#") {
      at = indexOrEnd(command, "\n", at);
      continue;
    }
    const redirect = match(REDIRECT, command, at);
    if (redirect !== undefined) {
      at = skipBlanks(command, at + redirect.length);
      // `>(…)` and `<(…)` run what stands inside.
      if (command[at] === "(") continue;
      const word = readWord(command, at, segments, depth);
      at = word.end;
      const kind = redirect.replace(/^(?:\d+|&)/, "");
      if (kind.startsWith("<<") && kind !== "<<<") {
        heredocs.push({ delimiter: word.text, tabs: kind === "<<-", of: open });
      } else if (kind === "<<<") {
        open.documents.push(word.text);
      } else if (kind.includes(">") && !(kind === ">&" && /^(?:\d+|-)$/.test(word.text))) {
        if (word.text !== "") open.written.push(word.text);
      } else if (word.text !== "") open.words.push(word.text);
      continue;
    }
    const operator = match(OPERATOR, command, at);
    if (operator !== undefined) {
      finish(at);
      at += operator.length;
      if (operator === "(") nested++;
      if (operator === ")") nested = Math.max(0, nested - 1);
      if (operator === "\n") {
        for (const { delimiter, tabs, of } of heredocs) at = readDocument(command, at, delimiter, tabs, of);
        heredocs = [];
      }
      open.start = at;
      continue;
    }
    const word = readWord(command, at, segments, depth);
    if (word.text !== "") open.words.push(word.text);
    at = word.end;
  }
  return close(at);
}

function emptyAt(start: number): Open {
  return { start, words: [], written: [], documents: [] };
}

function readWord(
  command: string,
  from: number,
  segments: CommandSegment[],
  depth: number,
): { readonly text: string; readonly end: number } {
  let text = "";
  let at = from;
  let quoted = false;
  while (at < command.length) {
    const char = command[at] as string;
    if (!quoted && WORD_ENDS.includes(char)) break;
    if (char === '"') {
      quoted = !quoted;
      at++;
    } else if (char === "'" && !quoted) {
      const end = indexOrEnd(command, "'", at + 1);
      text += command.slice(at + 1, end);
      at = end + 1;
    } else if (char === "\\") {
      text += command[at + 1] === "\n" ? "" : command.slice(at + 1, at + 2);
      at += 2;
    } else if (char === "`") {
      at = scanNested(command, at + 1, "`", segments, depth);
    } else if (char === "$" && command[at + 1] === "(") {
      at = scanNested(command, at + 2, ")", segments, depth);
    } else if (char === "$" && command[at + 1] === "{") {
      at = indexOrEnd(command, "}", at + 2) + 1;
    } else if (char === "$" && (command[at + 1] === "'" || command[at + 1] === '"') && !quoted) {
      at++;
    } else if (char === "$") {
      at++;
      while (/\w/.test(command[at] ?? "")) at++;
    } else {
      text += char;
      at++;
    }
  }
  return { text, end: Math.max(Math.min(at, command.length), Math.min(from + 1, command.length)) };
}

function scanNested(command: string, from: number, closer: string, segments: CommandSegment[], depth: number): number {
  return depth >= MAX_DEPTH ? from : scan(command, from, closer, segments, depth + 1);
}

function readDocument(command: string, from: number, delimiter: string, tabs: boolean, open: Open): number {
  const lines: string[] = [];
  let at = from;
  while (at < command.length) {
    const end = indexOrEnd(command, "\n", at);
    const line = command.slice(at, end);
    at = end + 1;
    if ((tabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
    lines.push(line);
  }
  open.documents.push(lines.join("\n"));
  return Math.min(at, command.length);
}

function match(pattern: RegExp, command: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(command)?.[0];
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
