export { type OpenedStores, type StoreSuite, testStore } from "./store-suite.ts";
