export { testRecallStore } from "./recall-store-suite.ts";
