import { type PolicyLayer, permissionOpinion } from "@ikigai/core";
import { Minimatch } from "minimatch";
import type { AgentConfig } from "./agent-config.ts";

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
  return {
    name: "agent",
    judge({ action, target }, { agent, tool }) {
      const known = byName.get(agent);
      if (known === undefined) return undefined;
      if (known.consent.has(tool)) {
        return { decision: "ask", needs: "person", reason: `the agent ${agent} needs consent for ${tool}` };
      }
      const ceiling = known.ceilings.find(({ matcher }) => matcher.match(target));
      if (ceiling === undefined) return undefined;
      const origin = `${target}, by ${JSON.stringify(ceiling.glob)} in the permissions of the agent ${agent},`;
      return permissionOpinion(ceiling.permission, action, origin);
    },
  };
}

const MATCHING = { dot: true, nonegate: true, nocomment: true } as const;
