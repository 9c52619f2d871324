import { IkigaiError, messageOf } from "@ikigai/core";
import type { RE2JS } from "re2js";
import { libraries } from "../document/libraries.ts";
import type { Replacement } from "../../text/replace-text.ts";

const MAX_PATTERN = 1_000;
const MAX_MS = 1_000;
const CHECK_EVERY = 64;

/**
 * Where `pattern` (RE2 syntax) matches, and what `template` makes of each match: `$1`, `${name}` and `$0` stand for
 * groups, `$$` for a dollar sign.
 *
 * Contract: one search is linear in the text; together they end after about a second with `timeout`.
 */
export function findRegexReplacements(text: string, pattern: string, template: string, name: string): Replacement[] {
  const compiled = compile(pattern);
  const matcher = compiled.matcher(text);
  const groups = compiled.namedGroups();
  const expand = parseTemplate(template, compiled.groupCount(), groups);
  const found: Replacement[] = [];
  const until = performance.now() + MAX_MS;
  while (matcher.find()) {
    found.push({ start: matcher.start(), end: matcher.end(), insert: expand((group) => matcher.group(group) ?? "") });
    if (found.length % CHECK_EVERY === 0 && performance.now() > until) {
      throw new IkigaiError("timeout", `The pattern was still searching "${name}" after ${MAX_MS} ms`, {
        hint: "Use a simpler pattern, without .* before something that seldom follows.",
      });
    }
  }
  if (found.length > 0) return found;
  throw new IkigaiError("not_found", `The pattern matches nothing in "${name}"`, {
    hint: "Look at the text with op load of block, then give a pattern that stands in it.",
  });
}

function compile(pattern: string): RE2JS {
  if (pattern === "" || pattern.length > MAX_PATTERN) {
    throw new IkigaiError("invalid_input", `A pattern has 1 to ${MAX_PATTERN} characters, not ${pattern.length}`, {
      hint: "Use a shorter pattern, or several edits.",
    });
  }
  try {
    return libraries.re2.RE2JS.compile(pattern);
  } catch (cause) {
    throw new IkigaiError("invalid_input", `Not a pattern: ${messageOf(cause)}`, {
      hint: "Use RE2 syntax: no look-around and no back-references; (?i), (?m) and (?s) are there.",
      cause,
    });
  }
}

type Expand = (group: (index: number) => string) => string;

function parseTemplate(template: string, count: number, names: Readonly<Record<string, number>>): Expand {
  const parts: (string | number)[] = [];
  let from = 0;
  for (const match of template.matchAll(/\$(?:(\$)|(\d{1,2})|\{(\w+)\})/g)) {
    parts.push(template.slice(from, match.index));
    from = match.index + match[0].length;
    const [, dollar, digits, name = ""] = match;
    const group = digits === undefined ? names[name] : Number(digits);
    if (dollar !== undefined) parts.push("$");
    else if (group !== undefined && group <= count) parts.push(group);
    else {
      throw new IkigaiError("invalid_input", `"new" speaks of the group ${match[0]}, which the pattern does not have`, {
        hint: "Write $$ for a dollar sign.",
      });
    }
  }
  parts.push(template.slice(from));
  return (group) => parts.map((part) => (typeof part === "string" ? part : group(part))).join("");
}
