import type { CallPart } from "@ikigai/agent";
import type { Effect } from "@ikigai/core";
import type { SourceManager, StreamNotice } from "@ikigai/core/host";

/** Tells the agent's own changes from those of others in what streams report. */
export interface OwnChanges {
  /** A call begins to do something: what it is going to change may be reported as changed in a moment. */
  begin(call: CallPart, effects: readonly Effect[]): void;
  /** Called when a call ended. Contract: a call that failed, or only read, hides no change. */
  end(call: CallPart, succeeded: boolean): void;
  includes(notice: StreamNotice): boolean;
}

/** Watchers report within this time. */
const REPORTED_WITHIN_MS = 3_000;

/** Contract: never throws; what a command changed on the way is not known here and counts as another's change. */
export function createOwnChanges(sources: Pick<SourceManager, "route">, now: () => number = Date.now): OwnChanges {
  const touched = new Map<string, number>();
  const begun = new Map<string, readonly Effect[]>();
  return {
    begin: ({ id }, effects) => void begun.set(id, [...(begun.get(id) ?? []), ...effects]),
    end({ id }, succeeded) {
      const at = now();
      const effects = begun.get(id) ?? [];
      begun.delete(id);
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
