import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A process of a test that speaks in lines of JSON. */
export interface TestChild {
  readonly process: ChildProcess;
  /** The next line. Contract: rejects with what it said on standard error when it ends first. */
  next(): Promise<unknown>;
  /** Contract: resolves when it has ended, in whatever way. */
  readonly ended: Promise<number | null>;
}

/** Starts `script` with arguments that are passed on as JSON, unless they are text. */
export function startChild(script: string, ...args: readonly unknown[]): TestChild {
  const words = args.map((arg) => (typeof arg === "string" ? arg : JSON.stringify(arg)));
  const child = spawn(process.execPath, [script, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => void (complaint += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
  return {
    process: child,
    ended,
    async next() {
      const line = await lines.next();
      if (line.done === true) throw new Error(`The process ended: ${complaint}`);
      return JSON.parse(line.value) as unknown;
    },
  };
}
