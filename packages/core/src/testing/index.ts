export { type DataBlockSuite, testDataBlock } from "./data-block-suite.ts";
export { testDataStream } from "./data-stream-suite.ts";
export { createMemoryStore, memorySource } from "./memory-source.ts";
export { createMemoryFeed, emit, type MemoryFeed, memoryStream } from "./memory-stream.ts";
export { recordingSource, type Touch, undeclaredTouches } from "./recording-source.ts";
export type { RegisterTest } from "./suite.ts";
