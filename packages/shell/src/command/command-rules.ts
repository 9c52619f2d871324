import { IkigaiError } from "@ikigai/core";
import type { Decision, Grant } from "@ikigai/core/host";
import { KNOWN_PROGRAMS, refuseArguments, RUNNERS } from "./command-programs.ts";
import { parseCommand } from "./parse-command.ts";

/** What the rules say of a command: allowed, or to be asked, never denied. */
export interface CommandOpinion {
  readonly decision: Extract<Decision, "allow" | "ask">;
  readonly reason: string;
  /** The rule that allowed it. */
  readonly rule?: string;
}

interface Rule {
  readonly text: string;
  readonly words: readonly string[];
  /** Whether it ends with `*`: any literal words may follow. */
  readonly isOpen: boolean;
}

/**
 * What allow rules such as `git status` or `npm run *` say of a command line.
 *
 * A rule names the first words of a command. Of programs that are known, such as git, find or rg, what follows must be
 * known to be harmless and must not point outside the workspace. Of any other, nothing may follow, unless the rule
 * ends with `*`. Programs that run other programs are never allowed.
 *
 * Contract: allows only what {@link parseCommand} understands; throws `invalid_input` for a rule that it does not.
 */
export function commandOpinion(rules: readonly string[], command: string): CommandOpinion {
  return judge(rules.map(readRule), command);
}

/** The rules as a standing answer of the user to `execute` effects. */
export function commandGrant(rules: readonly string[]): Grant {
  const read = rules.map(readRule);
  return {
    name: `command rules: ${rules.join(", ")}`,
    namesTarget: true,
    covers: ({ action, target }, { tool }) =>
      action === "execute" && tool === "bash" && judge(read, target).decision === "allow",
  };
}

function judge(rules: readonly Rule[], command: string): CommandOpinion {
  const parsed = parseCommand(command);
  if (!parsed.understood) return { decision: "ask", reason: `the command is not one of plain words: ${parsed.reason}` };
  const { words } = parsed;
  let reason = "no rule names it";
  for (const rule of rules) {
    if (!rule.words.every((word, index) => words[index] === word)) continue;
    const problem = refuse(rule, words);
    if (problem === undefined) return { decision: "allow", reason: `rule "${rule.text}"`, rule: rule.text };
    reason = `rule "${rule.text}" does not cover it: ${problem}`;
  }
  return { decision: "ask", reason };
}

/** Why a rule that names the command's first words does not allow the rest. */
function refuse(rule: Rule, words: readonly [string, ...string[]]): string | undefined {
  const [program, ...rest] = words;
  if (RUNNERS.has(program)) return `${program} runs other programs`;
  const known = KNOWN_PROGRAMS.get(program);
  if (known === undefined) {
    const isExact = rule.words.length === words.length;
    return isExact || rule.isOpen ? undefined : `${program} is not known, and the rule does not end with *`;
  }
  const outside = known.isText === true ? undefined : words.slice(rule.words.length).find(pointsOutside);
  if (outside !== undefined) return `${JSON.stringify(outside)} may lie outside the workspace`;
  return refuseArguments(known, rest);
}

/** Whether a word, or the value inside an option, may be a path that leaves the folder the command runs in. */
function pointsOutside(word: string): boolean {
  return /^\/|^-[A-Za-z0-9]+\/|[=:]\/|(?:^|[^.])\.\.(?:\/|$)/.test(word);
}

function readRule(text: string): Rule {
  const isOpen = text.endsWith(" *");
  const parsed = parseCommand(isOpen ? text.slice(0, -2) : text);
  if (parsed.understood) return { text, words: parsed.words, isOpen };
  throw new IkigaiError("invalid_input", `${JSON.stringify(text)} is not a command rule: ${parsed.reason}`, {
    hint: "Write the first words of a command, such as git status or npm run *.",
  });
}
