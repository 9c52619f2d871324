import { IkigaiError, type SourceCallOptions } from "@ikigai/core";
import type { Embedder, VectorStore } from "@ikigai/core/host";
import type { NoteIndex } from "../index-store/note-index.ts";
import type { NoteRow } from "../index-store/note-row.ts";
import { createVectorIndex, isVector, type VectorIndex } from "./vector-index.ts";

export interface EmbedProgress {
  /** Notes that have a vector, of all. */
  readonly done: number;
  readonly total: number;
}

export interface NoteVectorsOptions {
  readonly index: NoteIndex;
  readonly embedder: Embedder;
  /** Notes that are embedded with one request. Default 32. */
  readonly atOnce?: number | undefined;
  readonly store?: VectorStore | undefined;
  readonly onProgress?: ((progress: EmbedProgress) => void) | undefined;
  /** The text of a note. */
  readonly read: (row: NoteRow, call: SourceCallOptions) => Promise<string>;
}

const AT_ONCE = 32;
const MAX_CHARS = 8_000;

/**
 * Brings the vectors of all notes up to date and gives them.
 *
 * Contract: only notes whose version has none are embedded, and what was embedded is kept at once, so a call that is
 * given up or fails costs nothing twice; calls wait for one another.
 */
export function createNoteVectors(options: NoteVectorsOptions): (call?: SourceCallOptions) => Promise<VectorIndex> {
  const { index, embedder, atOnce = AT_ONCE, store, onProgress, read } = options;
  const { graph } = index;
  const model = `${embedder.id}/${embedder.dimensions}`;
  const vectors = createVectorIndex(embedder.dimensions);
  const loaded = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function load(mount: string): Promise<void> {
    if (store === undefined || loaded.has(mount)) return;
    for (const { uri, version, vector } of await store.load(model, mount)) {
      if (isVector(vector, embedder.dimensions)) vectors.set(uri, version, vector);
    }
    loaded.add(mount);
  }

  async function dropGone(): Promise<void> {
    const gone = [...vectors.uris()].filter((uri) => graph.get(uri) === undefined);
    for (const uri of gone) vectors.delete(uri);
    if (gone.length > 0) await store?.remove(gone);
  }

  async function embed(rows: readonly NoteRow[], call: SourceCallOptions): Promise<void> {
    const texts = await Promise.all(rows.map((row) => read(row, call)));
    const named = rows.map((row, at) => `${row.title ?? row.name}\n${texts[at]}`.slice(0, MAX_CHARS).toWellFormed());
    const made = await embedder.embed(named, call.signal);
    const fits = made.length === rows.length && made.every((vector) => isVector(vector, embedder.dimensions));
    if (!fits) throw mismatch(embedder, rows.length, made);
    const fresh = rows.map(({ uri, version }, at) => ({ uri, version, vector: made[at] ?? new Float32Array() }));
    for (const { uri, version, vector } of fresh) vectors.set(uri, version, vector);
    await store?.save(model, fresh);
  }

  async function bringUpToDate(call: SourceCallOptions): Promise<VectorIndex> {
    await index.ready();
    for (const mount of index.mounts()) await load(mount);
    await dropGone();
    const rows = [...graph.rows()].filter((row) => vectors.version(row.uri) !== row.version);
    for (let at = 0; at < rows.length; at += atOnce) {
      call.signal?.throwIfAborted();
      onProgress?.({ done: graph.size - rows.length + at, total: graph.size });
      await embed(rows.slice(at, at + atOnce), call);
    }
    if (rows.length > 0) onProgress?.({ done: graph.size, total: graph.size });
    return vectors;
  }

  return (call = {}) => {
    const mine = last.then(() => bringUpToDate(call));
    last = mine.catch(() => undefined);
    return mine;
  };
}

function mismatch({ id, dimensions }: Embedder, texts: number, made: readonly Float32Array[]): IkigaiError {
  const sizes = [...new Set(made.map((vector) => vector.length))].join(", ");
  return new IkigaiError(
    "unavailable",
    `${id} gave ${made.length} vectors of ${sizes} numbers for ${texts} notes, ${dimensions} numbers were announced`,
    { hint: "Set the model's own number of dimensions in the configuration." },
  );
}
