export { type CheckedCase, checkPlugin } from "./check-plugin.ts";
export { checkPart, tryPart } from "./try-part.ts";
export { addEntry, addPartEntry, removeEntry } from "./config-entries.ts";
export { isFound, kindOfPlugin, resolvePlugin } from "./load-plugin.ts";
export { readPluginName } from "./plugin-name.ts";
export { assertFreeMount, tryPlugin } from "./try-plugin.ts";
