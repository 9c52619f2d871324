import { LEFTOVER_GLOB } from "./temp-file.ts";
import { takenNames } from "./taken-names.ts";

/**
 * What saves of this package do to the folders that they save in, for who walks over them without a source.
 *
 * `names` is a glob of the files that exist during a save only; `taken` gives the absolute paths below a real folder whose names
 * may have been absent for a moment since a time in milliseconds, so that a walk can have missed them. Contract: never throws.
 */
export const saveTraces: {
  readonly names: string;
  taken(root: string, since: number): readonly string[];
} = { names: LEFTOVER_GLOB, taken: (root, since) => takenNames(root, since) };
