import type { CallPart } from "@ikigai/agent";
import type { SourceManager, StreamNotice } from "@ikigai/core";

/** Tells the agent's own changes from those of others in what streams report. */
export interface OwnChanges {
  /** A call ended: what it names may be reported as changed in a moment. */
  note(call: CallPart): void;
  includes(notice: StreamNotice): boolean;
}

/** Watchers report within this time. */
const REPORTED_WITHIN_MS = 3_000;

/** Contract: never throws; what a command changed on the way is not known here and counts as another's change. */
export function createOwnChanges(sources: SourceManager, now: () => number = Date.now): OwnChanges {
  const touched = new Map<string, number>();
  return {
    note({ arguments: input }) {
      try {
        const { path } = JSON.parse(input) as { path?: unknown };
        if (typeof path === "string") touched.set(sources.route(path).uri, now());
      } catch {
        // It named no path that we know.
      }
    },
    includes({ event }) {
      const { uri } = (event.data ?? {}) as { uri?: unknown };
      const at = typeof uri === "string" ? touched.get(uri) : undefined;
      return at !== undefined && event.at.getTime() <= at + REPORTED_WITHIN_MS;
    },
  };
}
