import { Writable } from "node:stream";

/** Standard output, kept for frames alone. */
export interface GuardedStdout extends Disposable {
  /** The only way left to standard output. */
  readonly output: Writable;
}

/**
 * Takes standard output away from everybody else: what a plugin prints goes to standard error instead.
 *
 * Contract: covers `console`, `process.stdout.write` and `process.stdout.end`. Whoever writes to file descriptor 1
 * itself, or hands it to a child process, is not held back. Dispose to give it back;
 * that a late write fails is of no interest to anybody then.
 */
export function guardStdout(stdout: NodeJS.WriteStream = process.stdout): GuardedStdout {
  const original = stdout.write.bind(stdout);
  const end = stdout.end.bind(stdout);
  stdout.write = process.stderr.write.bind(process.stderr);
  stdout.end = () => stdout;
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void original(chunk, done),
  });
  const fail = (error: Error): void => void output.destroy(error);
  stdout.on("error", fail);
  return {
    output,
    [Symbol.dispose]() {
      stdout.write = original;
      stdout.end = end;
    },
  };
}
