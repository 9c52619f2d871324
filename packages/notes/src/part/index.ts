export { type Notes } from "./open-notes.ts";
export { notesPart } from "./notes-part.ts";
