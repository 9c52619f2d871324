import { resolve } from "node:path";
import { requireProgram } from "@ikigai/core/process";

/** The variable by which a hook or a server that we start learns which workspace it works for. */
export const WORKSPACE_VARIABLE = "IKIGAI_WORKSPACE";

/** Keeps programs from writing beside their code while they run, which would be a change of a trusted folder. */
export const NO_TRACES: Readonly<Record<string, string>> = { PYTHONDONTWRITEBYTECODE: "1" };

export interface ProgramPlaces {
  /** Folder of the configuration that names the program. */
  readonly from: string;
  /** The workspace, as a real path. */
  readonly workspace: string;
  /** The `PATH` of the environment. */
  readonly path: string;
}

/**
 * The absolute path of a program that a configuration names.
 *
 * Contract: one with a slash starts where the configuration stands; a bare name is never one of the workspace's, and
 * `unavailable` says when there is no other.
 */
export function namedProgram(program: string, { from, workspace, path }: ProgramPlaces): string {
  return /[/\\]/.test(program) ? resolve(from, program) : requireProgram(program, { path, outside: [workspace] });
}
