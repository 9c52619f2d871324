export { testPart } from "./test-part.ts";
