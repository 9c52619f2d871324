export { startChild } from "./child.ts";
export { type TestEngine, testEngines } from "./engines.ts";
export { startTestServer, type TestServer } from "./server.ts";
