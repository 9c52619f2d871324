import type { ShellWindow } from "./executions.ts";
import type { MadeCall } from "./make-calls.ts";
import type { World } from "./world.ts";

/** Whether a command may run, and whether the person or the mode answers for all that it does. */
function shellPermission({ plan }: World, approved: boolean): ShellWindow["by"] | undefined {
  if (plan.mode === "none") return undefined;
  if (approved || plan.mode === "all") return "person or mode";
  return plan.grants.some(({ kind }) => kind === "command") ? "grant" : undefined;
}

/** When commands ran, and by whose leave. */
export function shellWindows(world: World, calls: readonly MadeCall[]): ShellWindow[] {
  return calls.flatMap(({ call, from, until, approved }) => {
    const by = call.tool === "bash" ? shellPermission(world, approved) : undefined;
    return by === undefined ? [] : [{ from, until, by }];
  });
}

/** Whether whatever the call did was approved as "anything this command does". */
export function isFreeShell(world: World, { call, approved }: Pick<MadeCall, "call" | "approved">): boolean {
  return call.tool === "bash" && shellPermission(world, approved) === "person or mode";
}
