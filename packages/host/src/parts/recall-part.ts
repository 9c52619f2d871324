import { definePart, type Part } from "@ikigai/core/host";
import { z } from "zod";
import { createRecallRefresh } from "../store/refresh-recall.ts";
import { loadPart } from "./features.ts";

/** The archive: entries, and copies of the other texts that are searched with them. */
export const recallPart: Part<object> = definePart({
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
    return { tools: [createRecallTool(store.recall, { refresh })] };
  },
});
