import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { assetGuidance } from "@ikigai/core/assets";
import { z } from "zod";
import type { Assets } from "../../pins/pins.ts";

type AssetCapability = "write" | "remove" | "watch" | "history";

/** The stored assets as a source of texts, whichever store keeps them. Contract: asks the store for nothing until it is used. */
export function createAssetSource(
  assets: Pick<Assets, "open">,
  owner: string,
  /** What status shows of it. */
  name = "PostgresAssetSource",
): DataBlockDefinition<{ owner: string }, AssetCapability> {
  return defineDataBlock<{ owner: string }, AssetCapability>({
    name,
    capabilities: ["write", "remove", "watch", "history"],
    options: z.strictObject({ owner: z.string().default(owner) }),
    guidance: assetGuidance,
    open: async (options) => assets.open(options.owner),
  });
}
