export type {
  Asset,
  AssetCategory,
  AssetChange,
  AssetDetails,
  AssetHook,
  AssetInfo,
  AssetState,
  AssetUpdate,
} from "./asset.ts";
export { assetChanges, assetChangeStream, followAssets, type FollowAssetsOptions } from "./asset-changes.ts";
export { openAssetSource, postgresAssets, postgresAssetSource } from "./asset-source.ts";
export { type AssetStore, type AssetStoreOptions, createAssetStore, estimateTokens } from "./asset-store.ts";
export { laterPosition } from "./change-feed.ts";
export type { ChangeOptions } from "./change-asset.ts";
export type { ListOptions } from "./list-assets.ts";
export { assetMigrations, assetTables } from "./migrations.ts";
export type { AssetOptions, AssetServices } from "./open-store.ts";
export type { AssetRevision } from "./revisions.ts";
