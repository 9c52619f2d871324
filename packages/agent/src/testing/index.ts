export { type Fault, type MockProvider, type Script, type ScriptedReply, startMockProvider } from "./mock-provider.ts";
export type { NormalisedRequest } from "./normalised-request.ts";
