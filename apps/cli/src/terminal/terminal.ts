import { fstatSync, statSync } from "node:fs";
import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { createRedactor, type Redactor } from "@ikigai/core/redact";
import { type Choice, choicePrompt, escapeText, keyOf, notAKey, wrapProse } from "@ikigai/terminal";
import { writeResult } from "./results-output.ts";

/** Where a command reads and writes. Standard output carries the result only; everything else is standard error. */
export interface Terminal {
  /** One line of result. What could steer a terminal is escaped, which leaves JSON the same JSON. */
  print(line: string): void;
  /** One line that another program reads byte for byte. */
  printRaw(line: string): void;
  /** Something the person should know. Silent with `--quiet`. */
  note(line: string): void;
  /** Text that is safe already and may be coloured. Silent with `--quiet`. */
  show(text: string): void;
  /** Shows a line that the next one replaces; nothing clears it. Absent: nobody could see it. */
  readonly live?: (line?: string) => void;
  /** Part of a question, safe already: never silent, since a person must see what they answer. Absent: as `show`. */
  tell?(text: string): void;
  /** How wide standard error is. Absent: 80. */
  readonly columns?: number;
  /** Whether colours are wanted on standard error. */
  readonly colours: boolean;
  /** Something that went wrong. */
  complain(line: string): void;
  /** Whether a person is at both ends, so that a conversation makes sense. Absent: no. */
  readonly conversational?: boolean;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** One line. Contract: empty when there is no answer, or `signal` takes the question away. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /**
   * One key, without Enter where the terminal can; any other key is told so and the question is asked again.
   *
   * Contract: `undefined` when the person stops instead, the input ends, or `signal` takes the question away; what is
   * typed then, and what was typed before the question was shown, answers nothing.
   */
  choose(choice: Choice, signal?: AbortSignal): Promise<string | undefined>;
  /** Asks for what must not be seen. Absent: like `ask`. */
  askSecret?(question: string): Promise<string>;
  /** Whether something is piped into standard input. Absent: no. */
  readonly piped?: boolean;
  /** All of standard input. Contract: rejects when `signal` stops it, and nothing more is read then. */
  readInput(signal?: AbortSignal): Promise<string>;
}

const DEFAULT_COLUMNS = 80;

let redactor: Redactor | undefined;

/** A complaint as it may be kept: a client writes what a server says on standard error into its log. */
function withoutSecrets(line: string): string {
  redactor ??= createRedactor();
  return redactor.redact(line);
}

export function createTerminal(quiet: boolean): Terminal {
  return {
    print: (line) => writeResult(`${escapeText(line)}\n`),
    printRaw: (line) => writeResult(`${line}\n`),
    note: (line) => void (quiet || process.stderr.write(`${forPerson(line)}\n`)),
    show: (text) => void (quiet || process.stderr.write(`${text}\n`)),
    ...(process.stderr.isTTY === true &&
      !quiet && { live: (line = "") => void process.stderr.write(`\r\x1b[K${escapeText(line)}`) }),
    tell: (text) => void process.stderr.write(`${text}\n`),
    colours: process.stderr.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
    complain: (line) => void process.stderr.write(`${forPerson(`ikigai: ${withoutSecrets(line)}`)}\n`),
    conversational: process.stdin.isTTY === true && process.stdout.isTTY === true,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    get piped() {
      return isPiped();
    },
    get columns() {
      return process.stderr.columns || DEFAULT_COLUMNS;
    },
    ask: (question, signal) =>
      askWith(createInterface({ input: process.stdin, output: process.stderr }), question, signal),
    async choose(choice, signal) {
      if (process.stdin.isTTY !== true) return chooseByLine(choice, signal);
      const { chooseByKey } = await import("./choose-by-key.ts");
      return chooseByKey(choice, signal);
    },
    async askSecret(question) {
      const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
      // The echo is off before the question is there, or what is typed at once would be seen.
      const prompt = createInterface({ input: process.stdin, output: unseen, terminal: true, historySize: 0 });
      process.stderr.write(escapeText(question));
      try {
        return await askWith(prompt, "");
      } finally {
        process.stderr.write("\n");
      }
    },
    async readInput(signal) {
      signal?.addEventListener("abort", () => process.stdin.destroy(), { once: true });
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString("utf8");
    },
  };
}

/** What is written to standard error, safe, and for a terminal broken between words. */
export function forPerson(text: string): string {
  const safe = escapeText(text);
  return process.stderr.isTTY === true ? wrapProse(safe, process.stderr.columns || DEFAULT_COLUMNS) : safe;
}

/** Contract: empty when the person gives no answer; Ctrl-C interrupts the process as it would without a question. */
async function askWith(prompt: Interface, question: string, signal?: AbortSignal): Promise<string> {
  const closed = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
  const onAbort = (): void => prompt.close();
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  prompt.once("SIGINT", () => {
    prompt.close();
    process.kill(process.pid, "SIGINT");
  });
  try {
    return await Promise.race([prompt.question(escapeText(question)), closed]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    prompt.close();
  }
}

/** For input that is no terminal. Contract: an empty line is no key; the end of the input is no answer. */
async function chooseByLine(choice: Choice, signal: AbortSignal | undefined): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, signal });
  process.stderr.write(escapeText(choicePrompt(choice)));
  try {
    for await (const line of lines) {
      const key = keyOf(line, choice);
      if (key !== undefined) return key;
      process.stderr.write(`${escapeText(notAKey(line, choice))}\n${escapeText(choicePrompt(choice))}`);
    }
    return undefined;
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** A terminal or /dev/null has nothing to say; a pipe, a socket or a file has. */
function isPiped(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    return false;
  } finally {
    // Node 20 keeps the last result of a stat in one place, and takes the next link that an import meets for a pipe.
    statSync("/", { throwIfNoEntry: false });
  }
}
