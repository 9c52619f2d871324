import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import { compileGlob, type PathMatcher } from "./glob.ts";

/** How far the paths that match `glob` are open to change. */
export interface FileRule {
  readonly glob: string;
  readonly permission: MemoryPermission;
}

/** The permission of a path that no rule matches: writing is open, deleting asks. */
export const DEFAULT_PERMISSION: MemoryPermission = "read_write";

/** The rules of one source, which can be exchanged while it runs. */
export interface RuleSet {
  /** What the first matching rule says of `path`. */
  permission(path: string): MemoryPermission;
  /** Contract: throws `invalid_input` for an invalid glob, and then the old rules stay. */
  replace(rules: readonly FileRule[]): void;
}

const OPENNESS: readonly MemoryPermission[] = ["read_only", "partner", "human", "append", "read_write", "admin"];

export function createRuleSet(rules: readonly FileRule[]): RuleSet {
  let compiled = compileRules(rules);
  return {
    permission: (path) => compiled.find(({ matches }) => matches(path))?.permission ?? DEFAULT_PERMISSION,
    replace(next) {
      compiled = compileRules(next);
    },
  };
}

export function stricter(a: MemoryPermission, b: MemoryPermission): MemoryPermission {
  return OPENNESS.indexOf(a) <= OPENNESS.indexOf(b) ? a : b;
}

function compileRules(rules: readonly FileRule[]): { matches: PathMatcher; permission: MemoryPermission }[] {
  return rules.map(({ glob, permission }, index) => {
    try {
      return { matches: compileGlob(glob), permission };
    } catch (cause) {
      if (!IkigaiError.is(cause)) throw cause;
      throw new IkigaiError("invalid_input", `Rule ${index + 1}: ${cause.message}`, {
        ...(cause.hint !== undefined && { hint: cause.hint }),
        cause,
      });
    }
  });
}
