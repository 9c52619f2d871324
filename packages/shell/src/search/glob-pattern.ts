import { IkigaiError } from "@ikigai/core";
import { braceExpand, Minimatch } from "minimatch";

/** A glob that was checked and can be asked. */
export interface GlobPattern {
  /** Whether a path, relative to where the pattern starts, matches. */
  matches(path: string): boolean;
  /** Globs of file names that every match has one of, for a first selection. Absent: any name is possible. */
  readonly names?: readonly string[];
  /** Whether having one of `names` is all it takes. */
  readonly isByName: boolean;
}

const MAX_LENGTH = 1_000;
const MAX_ALTERNATIVES = 100;
const SIMPLE_NAME = /^[A-Za-z0-9_.*?+@ -]+$/;

/**
 * Reads a glob with `*`, `?`, `[…]`, `{…}` and `**`. Names that start with a dot are names like others.
 *
 * `anyDepth`: a pattern without a slash matches in every folder.
 *
 * Contract: throws `invalid_input` for one that is too long or stands for too many; matching any path takes no time
 * that a pattern could stretch.
 */
export function compileSearchGlob(pattern: string, { anyDepth }: { readonly anyDepth: boolean }): GlobPattern {
  if (pattern.length > MAX_LENGTH) throw invalid(pattern, `it is longer than ${MAX_LENGTH} characters`);
  const options = { braceExpandMax: MAX_ALTERNATIVES + 1, dot: true, nocomment: true, platform: "linux" as const };
  const alternatives = braceExpand(pattern, options);
  if (alternatives.length > MAX_ALTERNATIVES) {
    throw invalid(pattern, `it stands for more than ${MAX_ALTERNATIVES} patterns`);
  }
  const compiled = new Minimatch(pattern, { ...options, matchBase: anyDepth });
  const names = alternatives.map((one) => one.slice(one.lastIndexOf("/") + 1));
  const isSelective = !pattern.startsWith("!") && names.every((name) => SIMPLE_NAME.test(name) && !name.includes("**"));
  const isName = (one: string): boolean => (anyDepth ? !one.includes("/") : false) || /^\*\*\/[^/]+$/.test(one);
  return {
    matches: (path) => compiled.match(path),
    ...(isSelective && { names: [...new Set(names)] }),
    isByName: isSelective && alternatives.every(isName),
  };
}

function invalid(pattern: string, problem: string): IkigaiError {
  return new IkigaiError(
    "invalid_input",
    `The glob ${JSON.stringify(pattern.slice(0, 80))} cannot be used: ${problem}`,
    {
      hint: "Use a shorter pattern such as src/**/*.ts.",
    },
  );
}
