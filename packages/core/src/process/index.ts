export { findProgram, programFile, requireProgram, systemProgram, trustedPath } from "./find-program.ts";
export { gitEnvironment, HARMLESS_GIT } from "./harmless-git.ts";
export { carriesMark, markedCommand, newMark, type ProcessMark } from "./process-mark.ts";
export { processTime } from "./process-table.ts";
export { type Family, findFamily, sweep } from "./sweep.ts";
