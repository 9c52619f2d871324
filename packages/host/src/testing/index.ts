export { type PartSuite, testPart } from "./test-part.ts";
