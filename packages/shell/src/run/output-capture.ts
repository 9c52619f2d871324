/// <reference types="node" preserve="true" />
import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "@ikigai/core";
import { toText, trimEnd, trimStart } from "./output-text.ts";

export interface CaptureOptions {
  /** Bytes of the beginning and of the end that stay in memory. */
  readonly headBytes: number;
  readonly tailBytes: number;
  /** File that the whole output goes to once it is longer than head and tail. */
  readonly file: string;
  /** Bytes the file may have. What comes after is counted and dropped. */
  readonly maxKeptBytes: number;
}

/** An output as far as it has come. */
export interface CapturedOutput {
  readonly text: string;
  readonly totalBytes: number;
  /** Present when `text` is not the whole. */
  readonly kept?: { readonly path: string; readonly bytes: number; readonly error?: string };
}

/** Takes in any amount of output in bounded memory. */
export interface OutputCapture {
  readonly totalBytes: number;
  /** Contract: never rejects; resolves when the chunk is stored, so that waiting for it slows the writer down. */
  add(chunk: Buffer): Promise<void>;
  /** Contract: `text` has at most `maxChars` characters of JSON, and says how much is left out in the middle. */
  snapshot(maxChars: number): Promise<CapturedOutput>;
  /** Up to `limit` bytes from `offset`, as far as they were kept. */
  read(offset: number, limit: number): Promise<Buffer>;
  close(): Promise<void>;
}

const WRITE_BYTES = 512 * 1024;

export function createCapture(options: CaptureOptions): OutputCapture {
  const { headBytes, tailBytes, file, maxKeptBytes } = options;
  const ends = createEnds(headBytes, tailBytes);
  let total = 0;
  let handle: FileHandle | undefined;
  let kept = 0;
  let failure: string | undefined;
  let spooling = false;
  let unwritten: Buffer[] = [];
  let unwrittenLength = 0;
  let queue: Promise<unknown> = Promise.resolve();

  /**
   * Runs work on the file one after the other: output that is added while somebody reads must not be written into
   * the same place.
   */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = queue.then(work);
    queue = done;
    return done;
  }

  async function startSpooling(): Promise<void> {
    if (spooling) return;
    spooling = true;
    await keep(Buffer.concat([ends.head(), ends.tail()]));
  }

  /** Few large writes: a flood comes in thousands of small pieces. */
  async function keep(chunk: Buffer): Promise<void> {
    unwritten.push(chunk);
    unwrittenLength += chunk.length;
    if (unwrittenLength >= WRITE_BYTES) await flush();
  }

  async function flush(): Promise<void> {
    const chunk = Buffer.concat(unwritten);
    unwritten = [];
    unwrittenLength = 0;
    const room = maxKeptBytes - kept;
    if (chunk.length === 0 || failure !== undefined || room <= 0) return;
    try {
      handle ??= await open(file, "wx", 0o600);
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
      await handle.write(part, 0, part.length, kept);
      kept += part.length;
    } catch (error) {
      failure = messageOf(error);
    }
  }

  return {
    get totalBytes() {
      return total;
    },
    add: (chunk) =>
      inTurn(async () => {
        if (total + chunk.length > headBytes + tailBytes) await startSpooling();
        if (spooling) await keep(chunk);
        total += chunk.length;
        ends.add(chunk);
      }),
    snapshot: (maxChars) =>
      inTurn(async () => {
        const { text, whole } = joinWithin(ends.head(), ends.tail(), total, maxChars);
        if (whole) return { text, totalBytes: total };
        await startSpooling();
        await flush();
        const error = failure === undefined ? {} : { error: failure };
        return { text, totalBytes: total, kept: { path: file, bytes: kept, ...error } };
      }),
    async read(offset, limit) {
      if (!spooling) return Buffer.concat([ends.head(), ends.tail()]).subarray(offset, offset + limit);
      await inTurn(flush);
      if (kept === 0) return Buffer.alloc(0);
      await using source = await open(file, "r");
      const buffer = Buffer.alloc(Math.max(0, Math.min(limit, kept - offset)));
      const { bytesRead } = await source.read(buffer, 0, buffer.length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () =>
      inTurn(async () => {
        await flush();
        await handle?.close();
        handle = undefined;
      }),
  };
}

/** The beginning and the end of an output, in bounded memory. */
interface OutputEnds {
  add(chunk: Buffer): void;
  head(): Buffer;
  tail(): Buffer;
}

function createEnds(headBytes: number, tailBytes: number): OutputEnds {
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer[] = [];
  let tailLength = 0;
  return {
    add(chunk) {
      let rest = chunk;
      if (head.length < headBytes) {
        const taken = rest.subarray(0, headBytes - head.length);
        head = Buffer.concat([head, taken]);
        rest = rest.subarray(taken.length);
      }
      if (rest.length === 0) return;
      // A copy, or a few bytes would hold the whole chunk that they came in.
      tail.push(Buffer.from(rest.length > tailBytes ? rest.subarray(rest.length - tailBytes) : rest));
      tailLength += Math.min(rest.length, tailBytes);
      while (tailLength - (tail[0] as Buffer).length >= tailBytes) tailLength -= (tail.shift() as Buffer).length;
      if (tail.length > 256) tail = [Buffer.concat(tail)];
    },
    head: () => head,
    tail: () => Buffer.concat(tail),
  };
}

/** Head and tail around a line that says what is missing between them, in at most `maxChars` characters of JSON. */
function joinWithin(head: Buffer, tail: Buffer, total: number, maxChars: number): { text: string; whole: boolean } {
  if (head.length + tail.length >= total) {
    const text = toText(Buffer.concat([head, tail]));
    if (JSON.stringify(text).length <= maxChars) return { text, whole: true };
  }
  let share = 1;
  for (;;) {
    const first = trimEnd(head.subarray(0, Math.floor(head.length * share)));
    const last = trimStart(tail.subarray(tail.length - Math.floor(tail.length * share)));
    const missing = total - first.length - last.length;
    const text = `${toText(first)}\n[… ${missing} bytes left out …]\n${toText(last)}`;
    // Escaping makes JSON longer than the text.
    if (JSON.stringify(text).length <= maxChars || share < 0.01) return { text, whole: false };
    share *= 0.8;
  }
}
