export { type Archive } from "./open-archive.ts";
export { recallPart } from "./recall-part.ts";
