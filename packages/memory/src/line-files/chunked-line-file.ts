import { type FileHandle, open } from "node:fs/promises";
import { IkigaiError } from "@ikigai/core";
import type { CutText } from "../kept-text/cut-text.ts";
import { type ChunkPacking, packChunk, type StoredChunk, type TextChunk } from "../kept-text/text-chunk.ts";
import { notWritable } from "./line-file.ts";

/** A chunk as a row of a file. */
export interface ChunkRow {
  readonly chunk: string;
  readonly packing: ChunkPacking;
  /** Bytes of the chunk, in base64. */
  readonly data: string;
}

export interface AppendChunkedOptions {
  /** Bytes that the rows may have together. */
  readonly maxBytes: number;
}

const READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
/** How the line of a chunk begins and ends: one that was torn has no such end, because nothing inside it looks so. */
const BEGIN = '{"chunk":"';
const END = '"}';
const KEY_CHARS = 64;

/**
 * Adds a row to the end of a file, behind those of its chunks that the file does not have yet, in one write.
 *
 * Contract: as `appendRow`, and on the disk when it resolves. A file has all chunks that its rows name, whatever happens to
 * other files. `over_budget`, and nothing is written, for rows of more than `maxBytes`.
 */
export async function appendChunked(
  path: string,
  row: object,
  cuts: readonly CutText[],
  { maxBytes }: AppendChunkedOptions,
): Promise<number> {
  const file = await open(path, "a+", 0o600).catch((cause: unknown) => {
    throw notWritable(path, cause);
  });
  try {
    const known = await readKeys(file);
    const missing = new Map(cuts.flatMap(({ chunks }) => [...chunks]).filter(([key]) => !known.has(key)));
    const bytes = Buffer.from(`\n${await chunkLines([...missing.values()])}${JSON.stringify(row)}\n`);
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
    await write(file, bytes);
    return (await file.stat()).size;
  } catch (error) {
    throw IkigaiError.is(error) ? error : notWritable(path, error);
  } finally {
    await file.close();
  }
}

/** The chunk that a row holds. */
export function toStoredChunk({ chunk, packing, data }: ChunkRow): StoredChunk {
  return { key: chunk, packing, bytes: Buffer.from(data, "base64") };
}

async function write(file: FileHandle, bytes: Buffer): Promise<void> {
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes fit`);
  await file.datasync();
}

async function chunkLines(chunks: readonly TextChunk[]): Promise<string> {
  const packed = await Promise.all(chunks.map(packChunk));
  const rows = packed.map(({ key, packing, bytes }): ChunkRow => {
    return { chunk: key, packing, data: Buffer.from(bytes).toString("base64") };
  });
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** The keys of the chunks that a file has. Read anew each time: another process may have set the file aside. */
async function readKeys(file: FileHandle): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const block = Buffer.alloc(READ_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(block, 0, block.length, at);
    if (bytesRead === 0) return keys;
    at += bytesRead;
    const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      const isChunk = bytes.toString("latin1", from, from + BEGIN.length) === BEGIN;
      if (isChunk && bytes.toString("latin1", end - END.length, end) === END) {
        keys.add(bytes.toString("latin1", from + BEGIN.length, from + BEGIN.length + KEY_CHARS));
      }
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
}

function tooLarge(path: string, bytes: number, maxBytes: number): IkigaiError {
  return new IkigaiError(
    "over_budget",
    `The journal ${path} has room for ${maxBytes} bytes, and this change needs ${bytes}`,
    {
      hint: "Change less at once, or add a store, which has no such limit.",
      details: { bytes, maxBytes },
    },
  );
}
