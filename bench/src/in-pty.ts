import { setTimeout as delay } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import { peakMemory } from "./peak-memory.ts";

/** A program at its prompt. */
export interface AtPrompt {
  readonly pid: number;
  /** Contract: resolves when its output holds that, or after `withinMs`. */
  shows(pattern: RegExp, withinMs: number): Promise<void>;
  /** Peak memory in MB so far. */
  rss(): number | undefined;
  /** Contract: resolves when the process is gone. */
  kill(): Promise<void>;
}

export interface PtyProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What its output holds once a person can type. */
  readonly prompt: RegExp;
}

const PATIENCE_MS = 120_000;
/** What a terminal answers when it is asked where the cursor is, what it is and which colours it has. */
const TERMINAL: readonly (readonly [RegExp, string])[] = [
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  [/\u001b\[6n/, "\u001b[1;1R"],
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  [/\u001b\[c/, "\u001b[?62;c"],
  [/\]10;\?/, "\u001b]10;rgb:ffff/ffff/ffff\u0007"],
  [/\]11;\?/, "\u001b]11;rgb:0000/0000/0000\u0007"],
];

/** Starts a program in a real pseudo-terminal. Contract: resolves at its prompt; rejects with what it printed instead. */
export async function startInPty({ command, args, cwd, env, prompt }: PtyProgram): Promise<AtPrompt> {
  const child = spawn(command, [...args], { cols: 100, rows: 40, cwd, env: { ...env } });
  const exited = new Promise<void>((resolve) => void child.onExit(() => resolve()));
  let shown = "";
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${command} ${why}: ${JSON.stringify(shown.slice(-500))}`));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail(`showed no prompt within ${PATIENCE_MS / 1_000} s`);
    }, PATIENCE_MS);
    const end = child.onExit(({ exitCode }) => fail(`ended with ${exitCode}`));
    child.onData((data) => {
      shown += data;
      for (const [question, answer] of TERMINAL) if (question.test(data)) child.write(answer);
      if (!prompt.test(shown)) return;
      clearTimeout(timer);
      end.dispose();
      resolve();
    });
  });
  return {
    pid: child.pid,
    async shows(pattern, withinMs) {
      const deadline = performance.now() + withinMs;
      while (!pattern.test(shown) && performance.now() < deadline) await delay(20);
    },
    rss: () => peakMemory(child.pid),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
