import { proposeCompaction } from "@ikigai/agent";
import { noModel } from "./choose-model.ts";
import type { OpenAgent } from "./open-agent.ts";

/** Shortening by the model for a host that is opened before its agent is. */
export interface LateCompaction {
  compact(text: string, signal: AbortSignal): ReturnType<typeof proposeCompaction>;
  /** Contract: before this, `compact` rejects with how to set a model. */
  use(agent: Pick<OpenAgent, "model" | "count">): void;
}

export function createLateCompaction(): LateCompaction {
  let agent: Pick<OpenAgent, "model" | "count"> | undefined;
  return {
    async compact(text, signal) {
      if (agent === undefined) throw noModel();
      return proposeCompaction(text, { model: await agent.model(), count: agent.count, signal });
    },
    use: (opened) => void (agent = opened),
  };
}
