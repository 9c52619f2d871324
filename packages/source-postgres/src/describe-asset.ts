import type { Asset, AssetDetails, AssetUpdate } from "./asset.ts";
import { assertOwn, changedDetails, setDetails } from "./asset-details.ts";
import {
  absent,
  assertExpected,
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
    if (asset === undefined) throw absent(path);
    assertExpected(path, asset, options.expected);
    const changed = changedDetails(asset, details);
    if (changed !== undefined) {
      assertOwn(path, asset.owner, options.agent);
      if (describes(changed.after)) assertPermitted(asset, "described", "read_write");
      setDetails(tx, asset.owner, path, changed.after);
    }
    const state = stateOf(asset);
    await runHooks(tx, context, { ...place(asset), before: state, after: state, ...extra(changed, pinned) }, options);
    return null;
  });
}

/** Making an asset read-only, writable or archived touches nothing that read-only protects. */
function describes({ description, category, readOnly }: AssetDetails): boolean {
  return readOnly !== false && (description !== undefined || category !== undefined);
}

function place({ owner, path }: Asset): { readonly owner: string; readonly path: string } {
  return { owner, path };
}

function extra(
  details: ReturnType<typeof changedDetails>,
  pinned: boolean | undefined,
): { details?: NonNullable<ReturnType<typeof changedDetails>>; pinned?: boolean } {
  return { ...(details !== undefined && { details }), ...(pinned !== undefined && { pinned }) };
}
