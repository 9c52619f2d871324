export { describePart } from "./describe-part.ts";
export {
  type FeatureName,
  FEATURES,
  hasFeature,
  installCommand,
  isInstalled,
  loadPart,
  missingFor,
  notInstalled,
  type PartModules,
  requireFeature,
  SOURCES,
  TOOLS,
  whyNoTool,
} from "./features.ts";
export { followChanges, type Following } from "./follow.ts";
