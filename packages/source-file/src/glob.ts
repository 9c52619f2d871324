import { IkigaiError } from "@ikigai/core";
import { braceExpand, Minimatch } from "minimatch";

/** Whether a path, relative to the root, fits a pattern. */
export type PathMatcher = (path: string) => boolean;

const MAX_PATTERN_LENGTH = 512;
const MAX_BRACE_PRODUCTS = 64;
const OPTIONS = { dot: true, nonegate: true, nocomment: true, platform: "linux" } as const;

/**
 * Compiles a glob such as `src/**`, once.
 *
 * Contract: throws `invalid_input` for a pattern that could match nothing as written: empty, absolute, with `.` or `..`
 * segments, with a bracket or brace that is never closed, longer than 512 characters, or of more than 64 alternatives.
 */
export function compilePathGlob(pattern: string): PathMatcher {
  const fault = faultOf(pattern);
  if (fault !== undefined) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(pattern.slice(0, 80))} is not a usable glob: ${fault}`, {
      hint: "Write a pattern relative to the root, such as src/**/*.ts.",
    });
  }
  const compiled = new Minimatch(pattern, OPTIONS);
  return (path) => compiled.match(path);
}

function faultOf(pattern: string): string | undefined {
  if (pattern === "") return "it is empty";
  if (pattern.length > MAX_PATTERN_LENGTH) return `it is longer than ${MAX_PATTERN_LENGTH} characters`;
  if (pattern.includes("\0")) return "it contains a NUL character";
  if (pattern.startsWith("/")) return "it is absolute";
  if (pattern.startsWith("!")) return "it begins with !, and patterns do not exclude";
  if (pattern.split("/").some((segment) => segment === ".." || segment === ".")) return "it has a . or .. segment";
  const open = unclosed(pattern);
  if (open !== undefined) return `${open} is never closed`;
  const products = braceExpand(pattern, { braceExpandMax: MAX_BRACE_PRODUCTS + 1 }).length;
  return products > MAX_BRACE_PRODUCTS ? `it stands for more than ${MAX_BRACE_PRODUCTS} patterns` : undefined;
}

/** The first bracket, brace or escape that has no end; the library would take it literally. */
function unclosed(pattern: string): string | undefined {
  let braces = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") {
      at++;
      if (at === pattern.length) return "\\";
    } else if (character === "[") {
      const end = pattern.indexOf("]", at + (/^\[[!^]?\]/.test(pattern.slice(at)) ? 3 : 1));
      if (end === -1) return "[";
      at = end;
    } else if (character === "{") braces++;
    else if (character === "}") braces--;
    if (braces < 0) return "a } that nothing opened";
  }
  return braces > 0 ? "{" : undefined;
}
