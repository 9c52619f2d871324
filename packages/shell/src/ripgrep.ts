import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { IkigaiError } from "@ikigai/core";

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly cwd: string;
  /** What it reads: an open file, or texts one after the other. Absent: nothing. */
  readonly input?: number | AsyncIterable<string>;
  /** Byte that ends a piece of its output. */
  readonly separator: "\n" | "\0";
  /** Gets each piece. One that is too long comes cut, with `isWhole` false. */
  readonly onPiece: (piece: Buffer, isWhole: boolean) => void;
  readonly signal: AbortSignal;
}

const MAX_PIECE = 4 * 1024 ** 2;
const MAX_STDERR = 4_000;

/**
 * Runs ripgrep to its end, without any configuration of the user's.
 *
 * Contract: rejects with `invalid_input` and ripgrep's own words for a pattern it cannot read, with the reason of
 * `signal` when that aborts, and with `unavailable` when there is no ripgrep for this system.
 */
export async function runRipgrep({ args, cwd, input, separator, onPiece, signal }: RipgrepRun): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(ripgrepPath(), ["--no-config", "--no-messages", ...args], {
    cwd,
    env: {},
    stdio: [typeof input === "number" ? input : input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const stopped = new AbortController();
  try {
    const aborted = once(signal, "abort", { signal: stopped.signal }).then(() =>
      Promise.reject(signal.reason as Error),
    );
    aborted.catch(() => {});
    const failed = once(child, "error").then(([error]) => Promise.reject(error as Error));
    failed.catch(() => {});
    let complaint = "";
    child.stderr?.on("data", (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(0, MAX_STDERR)));
    const closed = once(child, "close") as Promise<[number | null]>;
    const fed = typeof input === "object" && child.stdin !== null ? feed(child.stdin, input) : undefined;
    const taken = split(child.stdout as AsyncIterable<Buffer>, separator, onPiece);
    taken.catch(() => {});
    const [, , [code]] = await Promise.race([failed, aborted, Promise.all([fed, taken, closed])]);
    // Files that cannot be read are passed over in silence, so that words mean a pattern or an option.
    if (code === 2 && complaint !== "") throw invalidPattern(complaint);
  } finally {
    stopped.abort();
    child.kill("SIGKILL");
  }
}

/** Of the package that came with ours. Neither `PATH` nor the environment has a say in which program that is. */
function ripgrepPath(): string {
  try {
    const ours = createRequire(createRequire(import.meta.url).resolve("@vscode/ripgrep"));
    return ours.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
  } catch (cause) {
    throw new IkigaiError("unavailable", "ripgrep is not installed for this system", {
      hint: "Install again with optional dependencies.",
      cause,
    });
  }
}

async function feed(stdin: NodeJS.WritableStream, texts: AsyncIterable<string>): Promise<void> {
  let open = true;
  const whenGone = new Promise<void>((resolve) => {
    stdin.once("close", resolve).on("error", () => resolve());
  }).then(() => void (open = false));
  for await (const text of texts) {
    if (!open) break;
    if (!stdin.write(text)) await Promise.race([once(stdin, "drain").catch(() => {}), whenGone]);
  }
  stdin.end();
}

async function split(
  output: AsyncIterable<Buffer>,
  separator: string,
  onPiece: (piece: Buffer, isWhole: boolean) => void,
): Promise<void> {
  const byte = separator.charCodeAt(0);
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of output) {
    let from = 0;
    for (let end = chunk.indexOf(byte); end !== -1; end = chunk.indexOf(byte, from)) {
      const last = chunk.subarray(from, end);
      onPiece(rest.length === 0 ? last : Buffer.concat([...rest, last]), length < MAX_PIECE);
      rest = [];
      length = 0;
      from = end + 1;
    }
    if (length < MAX_PIECE) rest.push(chunk.subarray(from));
    length += chunk.length - from;
  }
}

function invalidPattern(complaint: string): IkigaiError {
  const said = complaint.trim().replace(/^rg: /, "");
  return new IkigaiError("invalid_input", `The pattern cannot be used: ${said}`, {
    hint: "Write a regular expression as ripgrep reads it, and escape ( ) [ { . * + ? that are meant as themselves.",
  });
}
