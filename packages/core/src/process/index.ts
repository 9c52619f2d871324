export { findProgram, type FindProgramOptions, requireProgram, systemProgram, trustedPath } from "./find-program.ts";
export { gitEnvironment, HARMLESS_GIT } from "./harmless-git.ts";
