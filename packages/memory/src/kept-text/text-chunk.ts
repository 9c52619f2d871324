import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import { CHUNK_BYTES } from "./chunk-ends.ts";

/** A piece of a kept text, or a list of the hashes of pieces. */
export interface TextChunk {
  /** Its hash in hexadecimal. */
  readonly key: string;
  readonly kind: "text" | "list";
  readonly bytes: Uint8Array;
}

/** How the bytes of a chunk are kept. A list is never compressed: hashes do not shrink. */
export type ChunkPacking = "plain" | "deflated" | "list";

/** A chunk as a store keeps it, once for all texts that have it. */
export interface StoredChunk {
  readonly key: string;
  readonly packing: ChunkPacking;
  readonly bytes: Uint8Array;
}

export const HASH_BYTES = 32;

const deflate = promisify(deflateRaw);

/** The SHA-256 of a chunk. Contract: a piece of text never has the hash of a list, whatever its words. */
export function chunkKey(kind: TextChunk["kind"], bytes: Uint8Array): string {
  return createHash("sha256")
    .update(kind === "list" ? "\u0001" : "\0")
    .update(bytes)
    .digest("hex");
}

/** Contract: compressed only where that makes it smaller. */
export async function packChunk({ key, kind, bytes }: TextChunk): Promise<StoredChunk> {
  if (kind === "list") return { key, packing: "list", bytes };
  const deflated = await deflate(bytes, { level: 1 });
  return deflated.length < bytes.length
    ? { key, packing: "deflated", bytes: deflated }
    : { key, packing: "plain", bytes };
}

/** The bytes of a chunk before it was packed. Contract: `undefined` for bytes that do not have the chunk's hash. */
export function unpackChunk({ key, packing, bytes }: StoredChunk): Uint8Array | undefined {
  const plain = packing === "deflated" ? inflated(bytes) : bytes;
  if (plain === undefined) return undefined;
  return chunkKey(packing === "list" ? "list" : "text", plain) === key ? plain : undefined;
}

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateRawSync(bytes, { maxOutputLength: CHUNK_BYTES.max });
  } catch {
    return undefined;
  }
}

/** The hashes of a list, in hexadecimal. */
export function keysOf(list: Uint8Array): string[] {
  const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
  return Array.from({ length: Math.ceil(bytes.length / HASH_BYTES) }, (_, index) =>
    bytes.toString("hex", index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}
