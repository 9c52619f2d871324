import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import * as z from "zod";

/** A source that says only where its texts lie. */
export function localFolder(root: string): DataBlockDefinition<unknown, never> {
  return defineDataBlock({
    name: "local-folder",
    capabilities: [],
    options: z.unknown(),
    open: async () => ({
      read: async () => undefined,
      async *list() {},
      localRoot: () => root,
    }),
  });
}
