export type { AssetHook } from "./asset.ts";
export { followAssets } from "./asset-changes.ts";
export { openAssetSource, postgresAssets, postgresAssetSource } from "./asset-source.ts";
export { type AssetStore, createAssetStore } from "./asset-store.ts";
export { takeInAssets } from "./take-in-assets.ts";
export { assetMigrations, assetTables } from "./migrations.ts";
