import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { IkigaiError } from "@ikigai/core";
import { countChars } from "./clip-line.ts";

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly cwd: string;
  /** What it reads: an open file, or texts one after the other. Absent: nothing. */
  readonly input?: number | AsyncIterable<string>;
  /** Byte that ends a piece of its output. */
  readonly separator: "\n" | "\0";
  /** Gets each piece. Of one that is too long it gets the head and the stretch that `stretchOf` chose. */
  readonly onPiece: (piece: Buffer, cut?: CutPiece) => void;
  /** Chooses what is kept of a long piece, by its beginning. Default: the beginning itself. */
  readonly stretchOf?: (beginning: Buffer) => PieceStretch | undefined;
  readonly signal: AbortSignal;
}

/** A head and a stretch behind it, as places in a piece. */
export interface PieceStretch {
  /** Offset at which the head ends. */
  readonly head: number;
  /** Offset at which the stretch begins, not inside the head. */
  readonly from: number;
  readonly to: number;
}

/** What is known of a piece that was too long to be kept whole. */
export interface CutPiece extends PieceStretch {
  /** Bytes that the whole piece has. */
  readonly length: number;
  /** Characters between the head and the stretch. */
  readonly charsBefore: number;
  /** Characters behind the stretch. */
  readonly charsAfter: number;
}

/** Bytes of the longest piece that is kept whole. Longer than any path with its numbers. */
const MAX_PIECE = 64 * 1024;
const MAX_STDERR = 4_000;

/**
 * Runs ripgrep to its end, without any configuration of the user's.
 *
 * Contract: rejects with `invalid_input` and ripgrep's own words for a pattern it cannot read, with the reason of
 * `signal` when that aborts, and with `unavailable` when there is no ripgrep for this system.
 */
export async function runRipgrep(run: RipgrepRun): Promise<void> {
  const { args, cwd, input, signal } = run;
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
    const taken = split(child.stdout as AsyncIterable<Buffer>, run);
    taken.catch(() => {});
    const [, , [code]] = await Promise.race([failed, aborted, Promise.all([fed, taken, closed])]);
    // Files that cannot be read are passed over in silence, so that words mean a pattern or an option.
    if (code === 2 && complaint !== "") throw invalidPattern(complaint);
  } finally {
    stopped.abort();
    child.kill("SIGKILL");
  }
}

/**
 * Path of the ripgrep that came with our package. Neither `PATH` nor the environment has a say in which program that
 * is.
 */
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
  { separator, onPiece, stretchOf }: Pick<RipgrepRun, "separator" | "onPiece" | "stretchOf">,
): Promise<void> {
  const byte = separator.charCodeAt(0);
  let kept: Buffer[] = [];
  let length = 0;
  let stretch: PieceStretch | undefined;
  let charsBefore = 0;
  let charsAfter = 0;

  function keep(part: Buffer): void {
    const at = length;
    length += part.length;
    if (stretch !== undefined) return keepPart(part, at, stretch);
    kept.push(part);
    if (length <= MAX_PIECE) return;
    const beginning = Buffer.concat(kept);
    stretch = stretchOf?.(beginning) ?? { head: 0, from: 0, to: MAX_PIECE };
    kept = [beginning.subarray(0, stretch.head)];
    keepPart(beginning, 0, stretch);
  }

  function keepPart(part: Buffer, at: number, { head, from, to }: PieceStretch): void {
    const within = (place: number): number => Math.min(Math.max(0, place - at), part.length);
    charsBefore += countChars(part, within(head), within(from));
    charsAfter += countChars(part, within(to), part.length);
    kept.push(part.subarray(within(from), within(to)));
  }

  for await (const chunk of output) {
    let from = 0;
    for (let end = chunk.indexOf(byte); end !== -1; end = chunk.indexOf(byte, from)) {
      // Most pieces lie in one chunk, whole.
      if (length === 0 && end - from <= MAX_PIECE) onPiece(chunk.subarray(from, end));
      else {
        keep(chunk.subarray(from, end));
        onPiece(Buffer.concat(kept), stretch && { ...stretch, length, charsBefore, charsAfter });
      }
      [kept, length, stretch, charsBefore, charsAfter] = [[], 0, undefined, 0, 0];
      from = end + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  }
}

function invalidPattern(complaint: string): IkigaiError {
  const said = complaint.trim().replace(/^rg: /, "");
  return new IkigaiError("invalid_input", `The pattern cannot be used: ${said}`, {
    hint: "Write a regular expression as ripgrep reads it, and escape ( ) [ { . * + ? that are meant as themselves.",
  });
}
