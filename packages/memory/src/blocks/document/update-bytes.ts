import { createHash } from "node:crypto";
import type { LoroDoc, OpId } from "loro-crdt/base64";

// A replica takes the time of the square of a long update, but not of many short ones.
const MAX_OPERATIONS = 8_000;
const DIGEST = 8;
const LENGTH = 4;

/** What happened in a document since a state, cut into pieces that a replica takes quickly. */
export function exportPieces(doc: LoroDoc, since: OpId[]): Uint8Array[] {
  const spans = doc.findIdSpansBetween(since, doc.frontiers()).forward.map(({ peer, counter, length }) => ({
    peer,
    counter,
    length,
    // A change is always later, in this sense, than those it rests on.
    lamport: doc.getChangeAt({ peer, counter }).lamport,
  }));
  const pieces: Uint8Array[] = [];
  for (const { peer, counter, length } of spans.toSorted((a, b) => a.lamport - b.lamport)) {
    for (let done = 0; done < length; done += MAX_OPERATIONS) {
      const span = { id: { peer, counter: counter + done }, len: Math.min(MAX_OPERATIONS, length - done) };
      pieces.push(doc.export({ mode: "updates-in-range", spans: [span] }));
    }
  }
  return pieces;
}

/** Contract: throws, and leaves the document's content as it was, when an earlier change is missing. */
export function importPieces(doc: LoroDoc, pieces: readonly Uint8Array[]): void {
  for (const piece of pieces) {
    const { pending } = doc.import(piece);
    if (pending !== null && pending !== undefined) throw new Error("an earlier change is missing");
  }
}

/** Pieces as one run of bytes whose damage is noticed before any of it is used. */
export function packPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const size = pieces.reduce((sum, piece) => sum + LENGTH + piece.length, 0);
  const packed = new Uint8Array(DIGEST + size);
  const view = new DataView(packed.buffer);
  let at = DIGEST;
  for (const piece of pieces) {
    view.setUint32(at, piece.length);
    packed.set(piece, at + LENGTH);
    at += LENGTH + piece.length;
  }
  packed.set(digestOf(packed), 0);
  return packed;
}

export function unpackPieces(packed: Uint8Array): Uint8Array[] {
  const bytes = packed.slice();
  if (bytes.length < DIGEST || !digestOf(bytes).every((byte, at) => byte === bytes[at])) {
    throw new Error("its bytes are not those that were written");
  }
  const view = new DataView(bytes.buffer);
  const pieces: Uint8Array[] = [];
  for (let at = DIGEST; at < bytes.length; at += LENGTH + view.getUint32(at)) {
    pieces.push(bytes.slice(at + LENGTH, at + LENGTH + view.getUint32(at)));
  }
  return pieces;
}

function digestOf(packed: Uint8Array): Uint8Array {
  return createHash("sha256").update(packed.subarray(DIGEST)).digest().subarray(0, DIGEST);
}
