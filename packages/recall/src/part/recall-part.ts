import { definePart, type Part } from "@ikigai/core/host";
import { createRecallTool } from "../recall-tool.ts";
import { type RecallSection, recallSection } from "./embedder-section.ts";
import { type Archive, openArchive } from "./open-archive.ts";
import { createRecallRefresh } from "./refresh-recall.ts";
import { toRecallCopies } from "./to-recall-copies.ts";

declare module "@ikigai/core" {
  interface HostServices {
    readonly recall?: Archive;
  }
}

/** The archive: entries, and copies of the other texts that are searched with them. */
export const recallPart: Part<RecallSection> = definePart({
  name: "recall",
  options: recallSection,
  needs: ["storeTables", "ownedTexts"],
  async open({ languages, embedder: section }, { services, warn }) {
    const { storeTables, ownedTexts, judgeEmbedder } = services;
    if (storeTables === undefined || ownedTexts === undefined) return {};
    const embedder =
      section && (await import("./choose-embedder.ts")).chooseEmbedder(section, { judge: judgeEmbedder });
    const { archive, follow } = openArchive(storeTables, { languages, embedder, warn });
    const refresh = createRecallRefresh(archive, ownedTexts, storeTables.exists);
    return {
      services: {
        recall: archive,
        turnArchive: {
          async keep(conversation, messages, owner) {
            const turns = messages.flatMap((message) => toRecallCopies(conversation, message));
            await archive.mirror(turns, { owner });
          },
        },
        ...(embedder && { embedder }),
      },
      tools: [createRecallTool(archive, { refresh })],
      follow,
    };
  },
});
