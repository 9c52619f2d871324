export { examine, examineNode, type Finding } from "./examine.ts";
