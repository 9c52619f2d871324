import type { SourceCallOptions } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import type { NoteGraph } from "../index-store/note-graph.ts";
import { findReferences, type TextReference } from "./find-references.ts";

/** A reference and the text that holds it. */
export interface Referrer {
  readonly from: string;
  readonly references: readonly TextReference[];
}

export interface ReferencesToOptions extends SourceCallOptions {
  readonly sources: SourceManager;
  readonly graph: NoteGraph;
  /** Larger texts are passed over. Default 1,000,000 characters. */
  readonly maxChars?: number;
}

const MAX_CHARS = 1_000_000;
const TEXT_FILE =
  /\.(?:md|markdown|txt|json|jsonc|ya?ml|toml|csv|tsv|sql|[cm]?[jt]sx?|py|rb|rs|go|java|kt|c|h|cpp|hpp|cs|sh|html?|css|xml|canvas|base|org|rst|tex|ini|cfg|conf)$/i;

/**
 * Every known text that refers to `uri`, whatever source holds it, by address.
 *
 * Contract: reads each text file of the indexed mounts once; what cannot be read is passed over, since a reference that
 * nobody can read leads nowhere.
 */
export async function* referencesTo(uri: string, options: ReferencesToOptions): AsyncGenerator<Referrer> {
  const { sources, graph, maxChars = MAX_CHARS, ...call } = options;
  for (const mount of graph.mounts()) {
    const { source } = sources.routePrefix(`${mount}:///`);
    for (const path of [...graph.files(mount)].toSorted()) {
      const from = `${mount}:///${path}`;
      if (from === uri || !TEXT_FILE.test(path)) continue;
      const content = await source.read(path, call).catch(() => undefined);
      if (content === undefined || content.text.length > maxChars) continue;
      const references = findReferences(content.text, { graph, from }).filter(({ to }) => to === uri);
      if (references.length > 0) yield { from, references };
    }
  }
}
