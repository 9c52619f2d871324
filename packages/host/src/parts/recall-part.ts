import { definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import type { EmbedderConfig } from "../configuration/recall-config.ts";
import { chooseEmbedder, type EmbedderRuns } from "../store/choose-embedder.ts";
import { createRecallRefresh } from "../store/refresh-recall.ts";
import { loadPart } from "./features.ts";

export interface RecallPartOptions {
  /** Makes search by meaning possible. */
  readonly embedder?: EmbedderConfig;
  /** Judges what that loads. */
  readonly runs: EmbedderRuns;
}

/** The archive: entries, and copies of the other texts that are searched with them. */
export function createRecallPart({ embedder, runs }: RecallPartOptions): Part<object> {
  return definePart({
    name: "recall",
    options: z.looseObject({}),
    needs: ["store", "blockService"],
    async open(_, { services: { store, blockService } }) {
      if (store === undefined || blockService === undefined) return {};
      const { createRecallTool } = await loadPart("@ikigai/recall/tool", "recall");
      const refresh = createRecallRefresh(async () => {
        if (!(await store.exists())) return undefined;
        const { recall, assets, conversations, blocks: blockStore } = store;
        return { recall, assets, blockStore, blocks: blockService, conversations };
      });
      const byMeaning = embedder && chooseEmbedder(embedder, await loadPart("@ikigai/recall", "recall"), { runs });
      return {
        tools: [createRecallTool(store.recall, { refresh })],
        ...(byMeaning && { services: { embedder: byMeaning } }),
      };
    },
  });
}
