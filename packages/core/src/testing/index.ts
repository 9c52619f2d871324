export { type DataBlockSuite, testDataBlock } from "./data-block-suite.ts";
export { type DataStreamSuite, testDataStream } from "./data-stream-suite.ts";
export { createMemoryStore, memorySource, type MemorySourceOptions, type MemoryStore } from "./memory-source.ts";
export { createMemoryFeed, emit, type MemoryFeed, memoryStream, type MemoryStreamOptions } from "./memory-stream.ts";
export { type RecordingSource, recordingSource, type Touch, undeclaredTouches } from "./recording-source.ts";
export type { RegisterTest, SuiteOptions } from "./suite.ts";
