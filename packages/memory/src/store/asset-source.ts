import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { z } from "zod";
import type { Assets } from "../pins/pins.ts";

type AssetCapability = "write" | "remove" | "watch" | "history";

/** The stored assets as a source of texts, whichever store keeps them. Contract: asks the store for nothing until it is used. */
export function createAssetSource(
  assets: Pick<Assets, "open">,
  owner: string,
): DataBlockDefinition<{ owner: string }, AssetCapability> {
  return defineDataBlock<{ owner: string }, AssetCapability>({
    name: "PostgresAssetSource",
    capabilities: ["write", "remove", "watch", "history"],
    options: z.strictObject({ owner: z.string().default(owner) }),
    guidance: (mount) =>
      `Stored assets live at ${mount}:/// and belong to you, not to one project: patterns you use everywhere, preferences, ` +
      "skills. Pinned ones stay in your context and count against a budget of tokens. When in doubt, ask the user where to save.",
    open: async (options) => assets.open(options.owner),
  });
}
