export { startChild, type TestChild } from "./child.ts";
export { type FreshOptions, type TestEngine, testEngines } from "./engines.ts";
export { startTestServer, type TestServer } from "./server.ts";
