export type { Asset, AssetCategory, AssetChange, AssetHook, AssetInfo, AssetState } from "./asset.ts";
export { assetChanges, assetChangeStream } from "./asset-changes.ts";
export { postgresAssets, postgresAssetSource } from "./asset-source.ts";
export {
  type AssetDetails,
  type AssetStore,
  type AssetStoreOptions,
  createAssetStore,
  estimateTokens,
} from "./asset-store.ts";
export type { ChangeOptions } from "./change-asset.ts";
export type { ListOptions } from "./list-assets.ts";
export { assetMigrations, assetTables } from "./migrations.ts";
export type { AssetOptions, AssetServices } from "./open-store.ts";
export type { AssetRevision } from "./revisions.ts";
