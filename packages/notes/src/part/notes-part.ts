import { ASSET_MOUNT, definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import { createIndexProgress } from "./index-progress.ts";
import { type Notes, openNotes } from "./open-notes.ts";

declare module "@ikigai/core" {
  interface HostServices {
    readonly notes?: Notes;
  }
}

/** Section `notes` of the configuration. */
export interface NotesSection {
  /** Mounts whose texts are no notes. Default: none. */
  readonly exclude?: readonly string[] | undefined;
}

/** Notes by name and link, over every mounted source of text. */
export const notesPart: Part<NotesSection> = definePart({
  name: "notes",
  options: z.strictObject({ exclude: z.array(z.string().min(1)).optional() }),
  async open({ exclude }, { agent, root, sources, seen, shorten, onTextChange, showProgress, services, warn }) {
    const notes = openNotes(sources, agent, {
      seen,
      store: services.indexStore,
      embedder: services.embedder,
      ...(root === undefined && { home: ASSET_MOUNT }),
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
