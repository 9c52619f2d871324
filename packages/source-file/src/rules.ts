import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import { compilePathGlob, type PathMatcher } from "./glob.ts";

/** How far the paths that match `glob` are open to change. */
export interface FileRule {
  readonly glob: string;
  readonly permission: MemoryPermission;
  /** The file that the rule stands in, for people. */
  readonly from?: string | undefined;
}

/** The permission of a path that no rule matches: writing is open, deleting asks. */
export const DEFAULT_PERMISSION: MemoryPermission = "read_write";

/** The rules of one source, which can be exchanged while it runs. */
export interface RuleSet {
  /** What the first matching rule says of `path`. */
  permission(path: string): MemoryPermission;
  /** Whether every path, wherever it leads, has the default permission. */
  isEmpty(): boolean;
  /** The first matching rule, in words. Absent: none matches. */
  origin(path: string): string | undefined;
  /** Contract: throws `invalid_input` for an invalid glob, and then the old rules stay. */
  replace(rules: readonly FileRule[]): void;
}

export function createRuleSet(rules: readonly FileRule[]): RuleSet {
  let compiled = compileRules(rules);
  const first = (path: string): CompiledRule | undefined => compiled.find(({ matches }) => matches(path));
  return {
    permission: (path) => first(path)?.permission ?? DEFAULT_PERMISSION,
    isEmpty: () => compiled.length === 0,
    origin(path) {
      const rule = first(path);
      if (rule === undefined) return undefined;
      return `the rule ${JSON.stringify(rule.glob)}${rule.from === undefined ? "" : ` in ${rule.from}`}`;
    },
    replace(next) {
      compiled = compileRules(next);
    },
  };
}

type CompiledRule = FileRule & { readonly matches: PathMatcher };

function compileRules(rules: readonly FileRule[]): CompiledRule[] {
  return rules.map((rule, index) => {
    try {
      return { ...rule, matches: compilePathGlob(rule.glob) };
    } catch (cause) {
      if (!IkigaiError.is(cause)) throw cause;
      throw new IkigaiError("invalid_input", `Rule ${index + 1}: ${cause.message}`, {
        ...(cause.hint !== undefined && { hint: cause.hint }),
        cause,
      });
    }
  });
}
