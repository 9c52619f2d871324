import { IkigaiError, type SourceCallOptions } from "@ikigai/core";
import type { Embedder, SourceManager, VectorStore } from "@ikigai/core/host";
import type { NoteIndex } from "../index-store/note-index.ts";
import type { NoteRow } from "../index-store/note-row.ts";
import { createTextIndex, type TextIndex } from "./text-index.ts";
import { createNoteVectors, type EmbedProgress } from "./note-vectors.ts";
import type { VectorIndex } from "./vector-index.ts";

const TITLE_WEIGHT = 4;
const READ_AT_ONCE = 32;

/** Text and vector search over an index, filled when first asked and brought up to date by versions. */
export interface NoteSearch {
  text(call?: SourceCallOptions): Promise<TextIndex>;
  /** Contract: `unsupported` without an embedder. See {@link createNoteVectors}. */
  vectors(call?: SourceCallOptions): Promise<VectorIndex>;
  readonly embedder: Embedder | undefined;
}

export interface NoteSearchOptions {
  readonly embedder?: Embedder | undefined;
  readonly embedAtOnce?: number | undefined;
  readonly vectors?: VectorStore | undefined;
  readonly onEmbedProgress?: ((progress: EmbedProgress) => void) | undefined;
}

export function createNoteSearch(sources: SourceManager, index: NoteIndex, options: NoteSearchOptions): NoteSearch {
  const words = createTextIndex();
  const { embedder, embedAtOnce: atOnce, vectors: store, onEmbedProgress: onProgress } = options;
  const vectors = embedder && createNoteVectors({ index, embedder, atOnce, store, onProgress, read });

  async function read(row: NoteRow, call: SourceCallOptions): Promise<string> {
    const { address, source } = sources.route(row.uri);
    return (await source.read(address.path, call).catch(() => undefined))?.text ?? "";
  }

  /** Drops notes that are gone; answers those whose text is new. */
  function outdated(known: {
    uris(): Iterable<string>;
    version(uri: string): string | undefined;
    delete(uri: string): void;
  }): NoteRow[] {
    for (const uri of known.uris()) if (index.graph.get(uri) === undefined) known.delete(uri);
    return [...index.graph.rows()].filter((row) => known.version(row.uri) !== row.version);
  }

  return {
    embedder,
    async text(call = {}) {
      await index.ready();
      for (const rows of chunks(outdated(words), READ_AT_ONCE)) {
        const texts = await Promise.all(rows.map((row) => read(row, call)));
        for (const [at, row] of rows.entries()) {
          const names = [row.name, row.title ?? "", ...row.aliases, ...row.tags].join(" ");
          words.set(row.uri, row.version, [
            { text: texts[at] as string, weight: 1 },
            { text: names, weight: TITLE_WEIGHT },
          ]);
        }
      }
      return words;
    },
    vectors(call = {}) {
      if (vectors !== undefined) return vectors(call);
      return Promise.reject(
        new IkigaiError("unsupported", "There is no embedder, so notes cannot be searched by meaning", {
          hint: "Search by text instead, or configure an embedder.",
        }),
      );
    },
  };
}

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
