export { examine, examineNode, type ExamineOptions, type Finding } from "./examine.ts";
