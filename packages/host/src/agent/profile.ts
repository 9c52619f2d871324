import type { AgentProfile, ToolRules } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import type { AgentConfig } from "../configuration/agent-config.ts";

/** The agent of that name as the configuration has it. An agent that it does not name has no rules of its own. */
export function findAgent(agents: readonly AgentConfig[], name: string): AgentConfig {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined || agents.length === 0 || name === "default") return found ?? { name };
  throw new IkigaiError("not_found", `The configuration has no agent "${name}"`, {
    hint: `There are: ${agents.map((agent) => agent.name).join(", ")}.`,
  });
}

export function toProfile({ name, prompt, tools, operations, rules = {} }: AgentConfig): AgentProfile {
  const given = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
  const all: ToolRules = { ...given, ...(operations !== undefined && { allowed_operations: operations }) };
  return {
    name,
    ...(prompt !== undefined && { instructions: prompt }),
    ...(tools !== undefined && { tools }),
    rules: all,
  };
}
