export { describePart } from "./describe-part.ts";
export {
  hasFeature,
  installCommand,
  isInstalled,
  loadPart,
  notInstalled,
  requireFeature,
  TOOLS,
  whyNoTool,
} from "./features.ts";
export { FEATURES, SOURCES, TOOLSETS } from "./own-packages.ts";
export { followChanges, type Following } from "./changes/follow.ts";
