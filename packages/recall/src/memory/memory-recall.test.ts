import { describe, test } from "vitest";
import { testRecallStore } from "../testing/index.ts";
import { createMemoryRecall } from "./memory-recall.ts";

describe("the archive in memory", () => {
  testRecallStore({ test, open: async (options) => ({ store: createMemoryRecall(options) }) });
});
