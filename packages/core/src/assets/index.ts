export {
  type AssetCategory,
  type AssetDetails,
  changedAssetDetails,
  describesAsset,
  newAssetDetails,
} from "./asset-details.ts";
export {
  type AssetPosition,
  type CommittedAssetChange,
  laterAssetPosition,
  readAssetPosition,
  toAssetEvent,
  writeAssetPosition,
} from "./asset-feed.ts";
export { assetGuidance } from "./asset-guidance.ts";
export { assertStorableAsset, checkedAssetOwner, checkedAssetPath } from "./asset-names.ts";
export { assertExpectedAsset, assertWritableAsset, noAsset, staleAsset } from "./asset-refusals.ts";
