export { shellPart } from "./shell-part.ts";
