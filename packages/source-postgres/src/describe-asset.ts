import { assertExpectedAsset, changedAssetDetails, describesAsset, noAsset } from "@ikigai/core/assets";
import type { Asset, AssetUpdate } from "./asset.ts";
import { assertOwn, setDetails } from "./asset-details.ts";
import {
  assertPermitted,
  type ChangeContext,
  type ChangeOptions,
  inTransaction,
  runHooks,
  stateOf,
} from "./change-asset.ts";
import { lockAsset } from "./find-asset.ts";

/**
 * Changes what an asset has besides its text. Its version stays.
 *
 * Contract: `not_found` when there is none; only the owner changes details, whoever sees an asset may pin it.
 */
export async function describeAsset(
  context: ChangeContext,
  path: string,
  { details = {}, pinned }: Omit<AssetUpdate, "text">,
  options: ChangeOptions,
): Promise<void> {
  await inTransaction(context, options, async (tx) => {
    const asset = await lockAsset(tx, options.agent, path);
    if (asset === undefined) throw noAsset(path);
    assertExpectedAsset(path, asset, options.expected);
    const changed = changedAssetDetails(asset, details);
    if (changed !== undefined) {
      assertOwn(path, asset.owner, options.agent);
      if (describesAsset(changed.after)) assertPermitted(asset, "described", "read_write");
      setDetails(tx, asset.owner, path, changed.after);
    }
    const state = stateOf(asset);
    await runHooks(tx, context, { ...place(asset), before: state, after: state, ...extra(changed, pinned) }, options);
    return null;
  });
}

function place({ owner, path }: Asset): { readonly owner: string; readonly path: string } {
  return { owner, path };
}

function extra(
  details: ReturnType<typeof changedAssetDetails>,
  pinned: boolean | undefined,
): { details?: NonNullable<ReturnType<typeof changedAssetDetails>>; pinned?: boolean } {
  return { ...(details !== undefined && { details }), ...(pinned !== undefined && { pinned }) };
}
