export { type CheckedCase, checkPlugin } from "./check-plugin.ts";
export { addEntry, removeEntry } from "./config-entries.ts";
export { isFound, loadPlugin, resolvePlugin } from "./load-plugin.ts";
export { readPluginName } from "./plugin-name.ts";
export { assertFreeMount, tryPlugin } from "./try-plugin.ts";
