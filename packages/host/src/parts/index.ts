export { describePart } from "./describe-part.ts";
export {
  FEATURES,
  hasFeature,
  installCommand,
  isInstalled,
  loadPart,
  notInstalled,
  requireFeature,
  SOURCES,
  TOOLS,
  whyNoTool,
} from "./features.ts";
export { followChanges, type Following } from "./follow.ts";
