import { spawn } from "@lydell/node-pty";
import { createVirtualTerminal } from "@ikigai/terminal/testing";
import { PROGRAM } from "../../testing/program.ts";

/** The built program in a real pseudo-terminal. */
export interface Pty extends AsyncDisposable {
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Contract: resolves with the screen once it fits; rejects with the screen when it does not within the time. */
  see(wanted: RegExp): Promise<string>;
  screen(): string;
  readonly foreign: readonly string[];
  readonly raw: string;
  readonly exited: Promise<number>;
}

export interface PtyOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Default 40. */
  readonly rows?: number;
  /** The folder it is started in. Default: that of this process. */
  readonly cwd?: string;
  /** Starts the program as a job of an interactive bash, so that it can be stopped. Default false. */
  readonly inShell?: boolean;
}

const PATIENCE_MS = 60_000;

export function openPty(
  args: readonly string[],
  { env = {}, columns = 100, rows = 40, inShell = false, cwd }: PtyOptions = {},
): Pty {
  const terminal = createVirtualTerminal(columns, rows);
  let raw = "";
  const looking = new Set<() => void>();
  const program = inShell ? "bash" : process.execPath;
  const child = spawn(program, inShell ? ["--norc", "--noprofile", "-i"] : [PROGRAM, ...args], {
    cols: columns,
    rows,
    ...(cwd !== undefined && { cwd }),
    env: { ...passed("PATH", "HOME", "XDG_CACHE_HOME"), TERM: "xterm-256color", ...env },
  });
  child.onData((data) => {
    raw += data;
    terminal.write(data);
    for (const look of looking) look();
  });
  const exited = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  if (inShell) child.write(`${[process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(" ")}\r`);
  const screen = (): string => terminal.lines.join("\n");
  return {
    type: (text) => child.write(text),
    resize(next, nextRows) {
      terminal.resize(next, nextRows);
      child.resize(next, nextRows);
    },
    screen,
    see: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          looking.delete(look);
          reject(new Error(`${wanted} did not appear. The screen:\n${screen()}`));
        }, PATIENCE_MS);
        const look = (): void => {
          if (!wanted.test(screen())) return;
          clearTimeout(timer);
          looking.delete(look);
          resolve(screen());
        };
        looking.add(look);
        look();
      }),
    get foreign() {
      return terminal.foreign;
    },
    get raw() {
      return raw;
    },
    exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The variables of this process that the program gets too. */
function passed(...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
