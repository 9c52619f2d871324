import type { CallHooks } from "@ikigai/core";
import { askHook, hookApplies } from "@ikigai/permission";
import type { Config, HookConfig } from "./config.ts";
import { freshEnvironment } from "./fresh-environment.ts";

/** The configured commands as hooks of the registry. Absent when there are none. */
export function commandHooks(config: Config["hooks"], complain: (message: string) => void): CallHooks | undefined {
  const before = (config?.before ?? []).map(toHook);
  const after = (config?.after ?? []).map(toHook);
  if (before.length + after.length === 0) return undefined;
  const env = freshEnvironment();
  return {
    async before(call) {
      for (const hook of before.filter((one) => hookApplies(one, call.tool))) {
        const { decision, reason = "no reason given" } = await askHook(hook, { phase: "before", ...call }, env);
        if (decision === "deny") return { reason };
      }
      return undefined;
    },
    async after(call) {
      for (const hook of after.filter((one) => hookApplies(one, call.tool))) {
        const { decision, reason } = await askHook(hook, { phase: "after", ...call }, env);
        if (decision === "deny") complain(`after ${call.tool}: ${reason}`);
      }
    },
  };
}

/** The commands that hear of a call of `tool` before it runs, each as it was configured. */
export function hooksBefore(config: Config["hooks"], tool: string): readonly (readonly string[])[] {
  return (config?.before ?? []).filter((hook) => hookApplies(toHook(hook), tool)).map(({ command }) => command);
}

function toHook({ command, tools, timeout_ms }: HookConfig): Parameters<typeof askHook>[0] {
  return { command, ...(tools !== undefined && { tools }), ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }) };
}
