export { createWordEmbedder } from "./word-embedder.ts";
export { type RecallSuite, testRecallStore } from "./recall-store-suite.ts";
