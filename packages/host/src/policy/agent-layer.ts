import { type CallFacts, type Opinion, type PolicyLayer, permissionOpinion } from "@ikigai/core/host";
import { Minimatch } from "minimatch";
import type { AgentConfig } from "../configuration/agent-config.ts";

/** What the configuration says of the acting agent: its ceilings, and the tools that need consent each time. */
export function agentLayer(agents: readonly AgentConfig[]): PolicyLayer {
  const byName = new Map(
    agents.map(({ name, permissions = [], rules }) => [
      name,
      {
        ceilings: permissions.map(({ glob, permission }) => ({
          glob,
          matcher: new Minimatch(glob, MATCHING),
          permission,
        })),
        consent: new Set(rules?.requires_consent),
      },
    ]),
  );
  const judgeCall = ({ agent, tool }: CallFacts): Opinion | undefined =>
    byName.get(agent)?.consent.has(tool) === true
      ? { decision: "ask", needs: "person", reason: `the agent ${agent} needs consent for ${tool}` }
      : undefined;
  return {
    name: "agent",
    judgeCall,
    judge({ action, target }, facts) {
      const { agent } = facts;
      const ceiling = byName.get(agent)?.ceilings.find(({ matcher }) => matcher.match(target));
      const origin = `${target}, by ${JSON.stringify(ceiling?.glob)} in the permissions of the agent ${agent},`;
      const opinion = ceiling && permissionOpinion(ceiling.permission, action, origin);
      // Consent never opens what the ceiling closes.
      return opinion?.decision === "deny" ? opinion : (judgeCall(facts) ?? opinion);
    },
  };
}

const MATCHING = { dot: true, nonegate: true, nocomment: true } as const;
