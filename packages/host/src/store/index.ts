export type { OpenedStore } from "./host-store.ts";
export { assertStore, noStore, storeFolder } from "./store-folder.ts";
export { describePruned } from "./upkeep.ts";
