export { testDataBlock } from "./data-block-suite.ts";
