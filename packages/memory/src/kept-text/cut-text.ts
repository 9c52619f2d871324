import { chunkEnds } from "./chunk-ends.ts";
import { chunkKey, HASH_BYTES, type TextChunk } from "./text-chunk.ts";

/** A text as the chunks that it consists of. */
export interface CutText {
  /** The hashes of chunks and of lists of chunks, {@link HASH_BYTES} each, that make up the text in this order. */
  readonly root: Buffer;
  /** Every chunk and list of it, by key. */
  readonly chunks: ReadonlyMap<string, TextChunk>;
}

/** Characters below which a text is not cut: it is kept beside what names it. */
export const MIN_CUT_CHARS = 8_192;

/** Chunks that a text may have without lists of them. */
const MAX_BARE_CHUNKS = 64;
/** Longest list of chunks, in hashes. */
const MAX_LISTED = 256;
/** Which hashes end a list: one in 64. */
const LIST_END = 0x3f;

/**
 * Cuts a text by its content, so that texts which are nearly the same have nearly all their chunks in common.
 *
 * Contract: `undefined` for a short text, and for one with a lone surrogate, which no bytes of UTF-8 stand for. An edit in
 * one place changes few chunks and lists, however long the text is.
 */
export function cutText(text: string): CutText | undefined {
  if (text.length < MIN_CUT_CHARS || !text.isWellFormed()) return undefined;
  const bytes = Buffer.from(text, "utf8");
  const chunks = new Map<string, TextChunk>();
  const add = (kind: TextChunk["kind"], part: Uint8Array): string => {
    const key = chunkKey(kind, part);
    chunks.set(key, { key, kind, bytes: part });
    return key;
  };
  let start = 0;
  const pieces = chunkEnds(bytes).map((end) => {
    const key = add("text", bytes.subarray(start, end));
    start = end;
    return key;
  });
  const keys = pieces.length <= MAX_BARE_CHUNKS ? pieces : listsOf(pieces).map((list) => add("list", toBytes(list)));
  return { root: toBytes(keys), chunks };
}

/** Hashes in groups whose ends depend on the hashes alone. */
function listsOf(keys: readonly string[]): string[][] {
  const lists: string[][] = [];
  let list: string[] = [];
  for (const key of keys) {
    list.push(key);
    const ends = (Number.parseInt(key.slice(-2), 16) & LIST_END) === 0;
    if (!ends && list.length < MAX_LISTED) continue;
    lists.push(list);
    list = [];
  }
  if (list.length > 0) lists.push(list);
  return lists;
}

function toBytes(keys: readonly string[]): Buffer {
  const bytes = Buffer.alloc(keys.length * HASH_BYTES);
  for (const [index, key] of keys.entries()) bytes.write(key, index * HASH_BYTES, "hex");
  return bytes;
}
