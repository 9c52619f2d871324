import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopKeeper } from "@ikigai/database";
import { choicePrompt, escapeText, keyOf, notAKey } from "@ikigai/terminal";
import { main } from "../main.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What a run of the command line left behind. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** Standard input. */
  readonly input?: string;
  /** Answers of a person at the terminal, in order. Absent: nobody is there. */
  readonly answers?: string[];
}

/** One store for all workspaces of a test file: starting an engine for each would take most of the time. */
let sharedStore: Promise<string> | undefined;

/** A workspace of its own, in a store that the tests of a file share, and the command line running in it. */
export async function openWorkspace(options: { readonly ownStore?: boolean } = {}): Promise<{
  root: string;
  store: string;
  run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  close: () => Promise<void>;
}> {
  const base = await mkdtemp(join(tmpdir(), "ikigai-cli-"));
  const root = await mkdtemp(join(base, "root-"));
  sharedStore ??= mkdtemp(join(tmpdir(), "ikigai-store-"));
  const store = options.ownStore === true ? join(base, "store") : await sharedStore;
  process.env["XDG_CONFIG_HOME"] = join(base, "config");
  return {
    root,
    store,
    run: (args, runOptions) => runMain(["--root", root, "--store", store, ...args], runOptions),
    async close() {
      if (options.ownStore === true) await stopKeeper(join(store, "postgres"));
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** For the end of a test file. */
export async function closeSharedStore(): Promise<void> {
  const store = await sharedStore;
  if (store === undefined) return;
  await stopKeeper(join(store, "postgres"));
  await rm(store, { recursive: true, force: true });
}

/** Runs the command line in this process and collects what it prints. */
export async function runMain(args: readonly string[], { input = "", answers }: RunOptions = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const openTerminal = (quiet: boolean): Terminal => ({
    print: (line) => void out.push(escapeText(line)),
    printRaw: (line) => void out.push(line),
    note: (line) => void (quiet || err.push(line)),
    show: (text) => void (quiet || err.push(text)),
    tell: (text) => void err.push(text),
    colours: false,
    complain: (line) => void err.push(line),
    interactive: answers !== undefined,
    ask: async (question) => {
      err.push(question);
      return answers?.shift() ?? "";
    },
    async choose(choice) {
      err.push(choicePrompt(choice));
      // Without an answer that is left the person has gone.
      for (let typed = answers?.shift(); typed !== undefined; typed = answers?.shift()) {
        const key = keyOf(typed, choice);
        if (key !== undefined) return key;
        err.push(notAKey(typed, choice));
      }
      return undefined;
    },
    piped: input !== "",
    readInput: async () => input,
  });
  const code = await main(args, openTerminal);
  return { code, out: out.join("\n"), err: err.join("\n") };
}
