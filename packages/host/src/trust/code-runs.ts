import { namedProgram } from "../configuration/named-program.ts";
import { reachOf } from "./code-reach.ts";
import type { CodeUnit } from "./code-unit.ts";
import type { HeldCode } from "./held-code.ts";
import type { RunTrust } from "./project-trust.ts";
import { createTrustedCopies } from "./trusted-copy.ts";

export type Command = readonly [string, ...string[]];

/** Starts nothing itself: says what is started, at each run anew. */
export interface CodeRuns extends Disposable {
  /**
   * Checks a unit before it runs; gives the digests that a process which loads it is held to.
   *
   * Contract: `permission_denied` when what would run is not what was trusted; `undefined` for what may run anything in
   * its folder, and for what the user's own configuration names.
   */
  check(unit: CodeUnit): Promise<HeldCode | undefined>;
  /** The command with an absolute program, and the script as it was judged. Contract: rejects as `check`. */
  prepare(unit: CodeUnit, command: Command): Promise<Command>;
}

export interface CodeRunsOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  /** Where copies of trusted scripts are kept while they are used. */
  readonly stateDirectory: string;
  /** Judges what the workspace's own configuration names. Absent: it names nothing that is in effect. */
  readonly trust?: RunTrust;
}

export function createCodeRuns({ root, stateDirectory, trust }: CodeRunsOptions): CodeRuns {
  const copies = createTrustedCopies(stateDirectory);
  return {
    async check(unit) {
      return unit.from === root ? (await trust?.judge(unit))?.held : undefined;
    },
    async prepare(unit, command) {
      const reach = unit.from === root ? await trust?.judge(unit) : undefined;
      const [program, ...args] = reach === undefined ? command : copies.commandFor(unit, reach);
      return [namedProgram(program, { from: unit.from, workspace: root, path: process.env["PATH"] ?? "" }), ...args];
    },
    [Symbol.dispose]: () => copies[Symbol.dispose](),
  };
}

/**
 * Why a file is obeyed by something that was trusted, by its absolute path without links.
 *
 * Contract: covers what the units name or reach now, the folders of packages, and the folders above them.
 */
export async function obeyedFiles(units: readonly CodeUnit[]): Promise<(local: string) => string | undefined> {
  const titles = new Map<string, string>();
  for (const unit of units) {
    const { files, packages } = await reachOf(unit);
    for (const path of [...files.keys(), ...packages]) if (!titles.has(path)) titles.set(path, unit.title);
  }
  const places = [...titles];
  return (local) => {
    const found = places.find(
      ([path]) => path === local || path.startsWith(`${local}/`) || local.startsWith(`${path}/`),
    );
    return found === undefined ? undefined : `${found[1]} runs it`;
  };
}
