import type { Actor } from "./source.ts";
import type { PlanContext } from "./tool.ts";

/** On whose behalf a call uses sources, without what only the call itself has. */
export function actorOf({ agent, conversation, callId, tool, client, places }: PlanContext): Actor {
  const held = { ...(client !== undefined && { client }), ...(places !== undefined && { places }) };
  return { agent, conversation, callId, tool, ...held };
}
