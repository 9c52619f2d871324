import type { Actor } from "../source/source.ts";
import type { PlanContext } from "../tool/tool.ts";

/** On whose behalf a call uses sources, without what only the call itself has. */
export function actorOf({ agent, conversation, callId, tool, client, places }: PlanContext): Actor {
  const held = { ...(client !== undefined && { client }), ...(places !== undefined && { places }) };
  return { agent, conversation, callId, tool, ...held };
}
