import { formatAddress } from "@ikigai/core";
import {
  assertExpectedAsset,
  assertStorableAsset,
  assertWritableAsset,
  type AssetDetails,
  changedAssetDetails,
  describesAsset,
  newAssetDetails,
  noAsset,
} from "@ikigai/core/assets";
import type { DocumentChange } from "../documents.ts";
import {
  assetId,
  ASSETS,
  type AssetDocument,
  newPresentAsset,
  type PresentAsset,
  readAssetDocument,
  readStateText,
} from "./asset-documents.ts";
import { addChange, addState } from "./asset-history.ts";
import type { AssetSide, PlannedAssetChange } from "./asset-pins.ts";
import { type AssetChangeContext, type AssetChangeOptions, storeAssetChange } from "./store-asset-change.ts";

/** What a change makes of an asset. */
export interface AssetUpdate {
  /** Absent: it stays. */
  readonly text?: string | undefined;
  readonly details?: AssetDetails | undefined;
  /** Whether the agent wants it pinned from now on. */
  readonly pinned?: boolean | undefined;
}

/** An asset that is about to change. */
interface ChangingAsset {
  readonly document: AssetDocument;
  readonly before: AssetSide | undefined;
  readonly uri: string;
  /** When it changes. */
  readonly at: string;
}

/** Changes an asset's text, its details, or both. Contract: as `Assets.change`. Gives the version that it has then. */
export async function updateFileAsset(
  context: AssetChangeContext,
  path: string,
  { text, details = {}, pinned }: AssetUpdate,
  options: AssetChangeOptions,
): Promise<string> {
  if (text !== undefined) assertStorableAsset(text, path);
  const tokens = text === undefined ? 0 : context.countTokens(text);
  const { after } = await storeAssetChange(context, options, async (change) => {
    const asset = await readChanging(context, change, path, options);
    const { document, before, uri } = asset;
    const present = document.present ?? newPresentAsset(path, asset.at);
    if (text === undefined) {
      if (before === undefined) throw noAsset(path);
      const changed = changedAssetDetails(present, details);
      if (changed !== undefined && describesAsset(changed.after))
        assertWritableAsset({ ...present, path }, "described");
      if (changed !== undefined) setPresent(change, asset, { ...present, ...changed.after }, document.states);
      return { owner: options.agent, path, uri, before, after: before, details: changed, pinned };
    }
    if (before !== undefined && details.readOnly !== false) assertWritableAsset({ ...present, path }, "overwritten");
    const changed = changedAssetDetails(present, { archived: false, ...details });
    const next = { ...present, ...changed?.after };
    const written = await writeText(context, change, asset, { next, text, tokens }, options);
    const sides = { ...(before !== undefined && { before }), after: written };
    return { owner: options.agent, path, uri, ...sides, details: changed, pinned };
  });
  return (after as AssetSide).version;
}

/** Contract: `not_found` when there is none, `conflict` when it is not as expected, `permission_denied` when it is read-only. */
export async function removeFileAsset(
  context: AssetChangeContext,
  path: string,
  options: AssetChangeOptions,
): Promise<void> {
  const { agent: owner } = options;
  await storeAssetChange(context, options, async (change): Promise<PlannedAssetChange> => {
    const { document, before, uri, at } = await readChanging(context, change, path, options);
    const { present, states } = document;
    if (before === undefined || present === undefined) throw noAsset(path);
    assertWritableAsset({ ...present, path }, "removed");
    change.set(ASSETS, assetId(owner, path), { owner, path, states } satisfies AssetDocument);
    await addChange(change, owner, { path, change: "removed", author: owner, program: context.program, at });
    const lost = changedAssetDetails(newAssetDetails(path), present);
    return { owner, path, uri, before, details: lost && { before: lost.after, after: lost.before } };
  });
}

/** Contract: `conflict` when the asset is not as expected. */
async function readChanging(
  { mount, clock }: AssetChangeContext,
  change: DocumentChange,
  path: string,
  { agent: owner, expected }: AssetChangeOptions,
): Promise<ChangingAsset> {
  const document = await readAssetDocument(change, owner, path);
  const { present } = document;
  if (expected !== undefined || present !== undefined) assertExpectedAsset(path, present, expected);
  const before = present && {
    text: await readStateText(change, owner, present.version),
    version: present.version,
    tokens: present.tokens,
  };
  return { document, before, uri: formatAddress({ mount, path }), at: clock().toISOString() };
}

/** Writes the text as the next state of its asset. */
async function writeText(
  { program }: AssetChangeContext,
  change: DocumentChange,
  asset: ChangingAsset,
  { next, text, tokens }: { readonly next: PresentAsset; readonly text: string; readonly tokens: number },
  { reason }: AssetChangeOptions,
): Promise<AssetSide> {
  const { document, before, uri, at } = asset;
  const { owner, path } = document;
  const kind = before === undefined ? "created" : "updated";
  const number = await addChange(change, owner, { path, change: kind, author: owner, program, at });
  const version = String(number);
  const state = { owner, number, text, author: owner, at, ...(reason !== undefined && { reason }) };
  const states = await addState(change, state, document.states, uri);
  setPresent(change, asset, { ...next, version, tokens, bytes: Buffer.byteLength(text) }, states);
  return { text, version, tokens };
}

function setPresent(
  change: DocumentChange,
  { document: { owner, path }, at }: ChangingAsset,
  present: PresentAsset,
  states: readonly number[],
): void {
  const document: AssetDocument = { owner, path, present: { ...present, updatedAt: at }, states };
  change.set(ASSETS, assetId(owner, path), document);
}
