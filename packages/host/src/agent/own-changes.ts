import type { CallPart } from "@ikigai/agent";
import type { Effect } from "@ikigai/core";
import type { SourceManager, StreamNotice } from "@ikigai/core/host";

/** Tells the agent's own changes from those of others in what streams report. */
export interface OwnChanges {
  /** A call begins: what it is going to change may be reported as changed in a moment. */
  begin(call: CallPart): void;
  /** Called when a call ended. Contract: a call that failed, or only read, hides no change. */
  end(call: CallPart, succeeded: boolean): Promise<void>;
  includes(notice: StreamNotice): boolean;
}

/** Watchers report within this time. */
const REPORTED_WITHIN_MS = 3_000;

/**
 * `plan` says what a call will touch.
 *
 * Contract: never throws; what a command changed on the way is not known here and counts as another's change.
 */
export function createOwnChanges(
  sources: Pick<SourceManager, "route">,
  plan: (call: CallPart) => Promise<readonly Effect[]>,
  now: () => number = Date.now,
): OwnChanges {
  const touched = new Map<string, number>();
  const planned = new Map<string, Promise<readonly Effect[]>>();
  return {
    begin: (call) =>
      void planned.set(
        call.id,
        plan(call).catch(() => []),
      ),
    async end({ id }, succeeded) {
      const at = now();
      const effects = (await planned.get(id)) ?? [];
      planned.delete(id);
      if (!succeeded) return;
      for (const { action, target } of effects) {
        if (action === "read" || !target.includes(":///")) continue;
        try {
          touched.set(sources.route(target).uri, at);
        } catch {
          // The target is no text of a source, such as a pin.
        }
      }
    },
    includes({ event }) {
      const { uri } = (event.data ?? {}) as { uri?: unknown };
      const at = typeof uri === "string" ? touched.get(uri) : undefined;
      return at !== undefined && event.at.getTime() <= at + REPORTED_WITHIN_MS;
    },
  };
}
