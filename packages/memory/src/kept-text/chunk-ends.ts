import { createHash } from "node:crypto";

/** Bytes of a chunk: the fewest (but for the last one of a text), what most come near, and the most. */
export const CHUNK_BYTES = { min: 2_048, usual: 8_192, max: 65_536 } as const;

/** Up to the usual size an end is rarer than after it, so that most chunks are about that long. */
const RARE_END = 0xfffe0000;
const COMMON_END = 0xffe00000;

let table: Int32Array | undefined;

/**
 * Where the chunks of a text end, in bytes.
 *
 * Contract: decided by the 32 bytes before each end and by how long the chunk already is, so that an edit moves the ends
 * around it and no others; the same for the same bytes, on every machine and in every version.
 */
export function chunkEnds(bytes: Uint8Array): number[] {
  table ??= createTable();
  const ends: number[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = nextEnd(bytes, start, table);
    ends.push(end);
    start = end;
  }
  return ends;
}

function nextEnd(bytes: Uint8Array, start: number, gear: Int32Array): number {
  const usual = Math.min(start + CHUNK_BYTES.usual, bytes.length);
  const last = Math.min(start + CHUNK_BYTES.max, bytes.length);
  let hash = 0;
  let at = start + CHUNK_BYTES.min;
  for (; at < usual; at++) {
    // Each step moves older bytes out to the left: after 32 they have no part in the hash.
    hash = ((hash << 1) + (gear[bytes[at] as number] as number)) | 0;
    if ((hash & RARE_END) === 0) return at + 1;
  }
  for (; at < last; at++) {
    hash = ((hash << 1) + (gear[bytes[at] as number] as number)) | 0;
    if ((hash & COMMON_END) === 0) return at + 1;
  }
  return last;
}

/** A random-looking number for each byte, the same for ever. */
function createTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) =>
    createHash("sha256").update(`ikigai chunk ${byte}`).digest().readInt32BE(0),
  );
}
