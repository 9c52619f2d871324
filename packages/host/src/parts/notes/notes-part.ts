import { definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import type { EmbedderConfig } from "../../configuration/recall-config.ts";
import { ASSETS } from "../../policy/host-policy.ts";
import { hasFeature, loadPart } from "../features.ts";
import { createIndexProgress } from "./index-progress.ts";
import { chooseEmbedder, type EmbedderRuns } from "../../store/choose-embedder.ts";

export interface NotesPartOptions {
  /** Makes search by meaning possible. */
  readonly embedder?: EmbedderConfig;
  /** Judges what that loads. */
  readonly runs?: EmbedderRuns;
  /** Shows how far the first look has come, on a line that the next call replaces. */
  readonly showProgress?: (line?: string) => void;
}

/** Notes by name and link, over every mounted source of text. */
export function createNotesPart({
  embedder,
  runs,
  showProgress,
}: NotesPartOptions): Part<{ exclude?: string[] | undefined }> {
  return definePart({
    name: "notes",
    options: z.strictObject({ exclude: z.array(z.string().min(1)).optional() }),
    needs: ["store"],
    async open({ exclude }, { agent, root, sources, seen, shorten, onTextChange, services: { store }, warn }) {
      if (store === undefined) return {};
      const { openNotes } = await import("./notes.ts");
      const byMeaning =
        embedder !== undefined && hasFeature("recall")
          ? chooseEmbedder(embedder, await loadPart("@ikigai/recall", "recall"), { runs })
          : undefined;
      const notes = openNotes(sources, store, agent, {
        seen,
        ...(root === undefined && { home: ASSETS }),
        ...(byMeaning && { embedder: byMeaning }),
        ...(embedder?.batch !== undefined && { embedAtOnce: embedder.batch }),
        ...(exclude && { exclude }),
        ...(showProgress && {
          onProgress: createIndexProgress(showProgress),
          onEmbedProgress: createIndexProgress(showProgress, "Embedding notes"),
        }),
        warn,
      });
      // The index hears of what tools and commands change, such as an undo.
      onTextChange((address) => notes.index.touch(address));
      return { services: { notes }, tools: notes.tools.map(shorten) };
    },
  });
}
