import { messageOf } from "@ikigai/core";
import type { PrunedRows, Retention } from "@ikigai/memory";
import type { HostStore } from "./host-store.ts";

const EVERY_MS = 6 * 3_600_000;

/**
 * Applies the retention when the store is first needed, and then every six hours.
 *
 * Contract: opens no store; without a limit nothing is done. Gives what stops it.
 */
export function keepUp(
  store: Pick<HostStore, "whenOpened">,
  retention: Retention,
  { notify, complain }: { readonly notify: (line: string) => void; readonly complain: (line: string) => void },
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const prune = async (): Promise<void> => {
    try {
      const pruned = await (await store.whenOpened).prune(retention);
      if (Object.values(pruned).some((count) => count > 0)) notify(`no longer kept: ${describePruned(pruned)}`);
    } catch (error) {
      complain(`the retention could not be applied: ${messageOf(error)}`);
    }
    if (stopped) return;
    timer = setTimeout(() => void prune(), EVERY_MS);
    timer.unref();
  };
  if (Object.keys(retention).length > 0) void store.whenOpened.then(() => (stopped ? undefined : prune()));
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

export function describePruned({ journal, audit, conversations }: PrunedRows): string {
  return `${journal} journal entries, ${audit} audit rows, ${conversations} conversations`;
}
