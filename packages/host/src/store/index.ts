export { chooseEmbedder } from "./choose-embedder.ts";
export type { HostStore, OpenedStore } from "./host-store.ts";
export { assertStore, noStore, storeFolder } from "./store-folder.ts";
export { describePruned } from "./upkeep.ts";
export { waitingFiles } from "./waiting-files.ts";
