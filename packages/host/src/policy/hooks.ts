import type { CallHooks } from "@ikigai/core/host";
import { trustedPath } from "@ikigai/core/process";
import { askHook, type CommandHook, hookApplies } from "@ikigai/permission";
import type { Config, HookConfig } from "../configuration/config.ts";
import { freshEnvironment } from "../configuration/fresh-environment.ts";
import { NO_TRACES, WORKSPACE_VARIABLE } from "../configuration/named-program.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { hookUnit } from "../trust/code-unit.ts";

/** The configured commands as hooks of the registry. Absent when there are none. */
export function commandHooks(
  config: Config["hooks"],
  workspace: string,
  runs: CodeRuns,
  complain: (message: string) => void,
): CallHooks | undefined {
  const toRun = (hook: HookConfig): CommandHook => {
    const unit = hookUnit(hook, workspace);
    return { ...toHook(hook), cwd: unit.cwd, prepare: () => runs.prepare(unit, hook.command) };
  };
  const before = (config?.before ?? []).map(toRun);
  const after = (config?.after ?? []).map(toRun);
  if (before.length + after.length === 0) return undefined;
  const env = {
    ...freshEnvironment(),
    ...NO_TRACES,
    PATH: trustedPath({ outside: [workspace] }),
    [WORKSPACE_VARIABLE]: workspace,
  };
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

function toHook({ command, tools, timeout_ms }: HookConfig): CommandHook {
  return { command, ...(tools !== undefined && { tools }), ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }) };
}
