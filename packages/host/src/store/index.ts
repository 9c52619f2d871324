export { chooseEmbedder } from "./choose-embedder.ts";
export type { Store } from "./open-store.ts";
export { assertStore, noStore, storeFolder } from "./store-folder.ts";
export { describePruned } from "./upkeep.ts";
export { waitingFiles } from "./waiting-files.ts";
