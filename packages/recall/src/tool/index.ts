export { createRecallTool } from "../recall-tool.ts";
