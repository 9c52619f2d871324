import { IkigaiError } from "@ikigai/core";
import { type AssetCategory, newAssetDetails } from "@ikigai/core/assets";
import type { StoredAsset } from "../../pins/pins.ts";
import type { DocumentView } from "../documents.ts";

/** What an asset is at present, without its text. */
export interface PresentAsset {
  readonly version: string;
  readonly tokens: number;
  readonly bytes: number;
  readonly category: AssetCategory;
  readonly description: string;
  readonly readOnly: boolean;
  readonly archived: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A path that has, or had, an asset. */
export interface AssetDocument {
  readonly owner: string;
  readonly path: string;
  /** Absent: it was removed. */
  readonly present?: PresentAsset;
  /** Numbers of the states that are kept, oldest first. */
  readonly states: readonly number[];
}

/** One state that an asset was in. */
export interface AssetStateDocument {
  readonly owner: string;
  readonly number: number;
  readonly text: string;
  readonly author: string;
  readonly reason?: string;
  readonly at: string;
}

/** A row of the changes that readers follow. */
export interface AssetChangeRow {
  readonly number: number;
  readonly path: string;
  readonly change: "created" | "updated" | "removed";
  readonly author: string;
  readonly program: string;
  readonly at: string;
}

/** The latest changes of an owner's assets, oldest first. */
export interface AssetChangesDocument {
  readonly owner: string;
  /** The number that the last change got. */
  readonly number: number;
  readonly rows: readonly AssetChangeRow[];
}

export const ASSETS = "assets";
export const ASSET_STATES = "asset-states";
export const ASSET_CHANGES = "asset-changes";

export function assetId(owner: string, path: string): string {
  return JSON.stringify([owner, path]);
}

export function stateId(owner: string, number: number): string {
  return JSON.stringify([owner, number]);
}

export async function readAssetDocument(view: DocumentView, owner: string, path: string): Promise<AssetDocument> {
  return (await view.get<AssetDocument>(ASSETS, assetId(owner, path))) ?? { owner, path, states: [] };
}

/** An asset with its text. Contract: absent when there is none, or none any more. */
export async function readStoredAsset(
  view: DocumentView,
  owner: string,
  path: string,
): Promise<StoredAsset | undefined> {
  const { present } = await readAssetDocument(view, owner, path);
  if (present === undefined) return undefined;
  return { ...toAssetState({ owner, path }, present), text: await readStateText(view, owner, present.version) };
}

/** The text of a state. Contract: `unavailable` when its file is gone, although an asset names it. */
export async function readStateText(view: DocumentView, owner: string, version: string): Promise<string> {
  const state = await view.get<AssetStateDocument>(ASSET_STATES, stateId(owner, Number(version)));
  if (state !== undefined) return state.text;
  throw new IkigaiError("unavailable", `The text of version ${version} of an asset of ${owner} is gone`, {
    hint: "Restore the folder of the store from a backup.",
  });
}

/** What a list shows of an asset. */
export function toAssetState(
  { owner, path }: Pick<AssetDocument, "owner" | "path">,
  { createdAt: _, bytes: __, updatedAt, ...present }: PresentAsset,
): Omit<StoredAsset, "text"> {
  return { owner, path, ...present, updatedAt: new Date(updatedAt) };
}

/** An asset that is being made. */
export function newPresentAsset(path: string, at: string): PresentAsset {
  return { ...newAssetDetails(path), version: "0", tokens: 0, bytes: 0, createdAt: at, updatedAt: at };
}
