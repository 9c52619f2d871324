export { type StoreSuite, testStore } from "./store-suite.ts";
