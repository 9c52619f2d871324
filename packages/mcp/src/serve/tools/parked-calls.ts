import { IkigaiError } from "@ikigai/core";
import type { RunningCall } from "./running-call.ts";

/** Calls that wait for their client to come back with a person's answer. */
export interface ParkedCalls extends Disposable {
  /** Gives the ticket under which the call is continued, once. */
  park(call: RunningCall): string;
  /** Contract: `invalid_input` for a ticket that is unknown, used, expired or of another call. */
  resume(ticket: unknown, fingerprint: string): RunningCall;
}

/** Contract: a call whose client does not come back within `waitMs` is cancelled. Disposing cancels all. */
export function createParkedCalls(waitMs: number): ParkedCalls {
  const parked = new Map<string, { readonly call: RunningCall; readonly timer: NodeJS.Timeout }>();
  return {
    park(call) {
      const ticket = crypto.randomUUID();
      const timer = setTimeout(() => {
        parked.delete(ticket);
        call.cancel();
      }, waitMs);
      timer.unref();
      parked.set(ticket, { call, timer });
      return ticket;
    },
    resume(ticket, fingerprint) {
      const found = typeof ticket === "string" ? parked.get(ticket) : undefined;
      if (found === undefined || found.call.fingerprint() !== fingerprint) {
        throw new IkigaiError("invalid_input", "No call waits for this answer", { hint: "Make the call again." });
      }
      clearTimeout(found.timer);
      parked.delete(ticket as string);
      return found.call;
    },
    [Symbol.dispose]() {
      for (const { call, timer } of parked.values()) {
        clearTimeout(timer);
        call.cancel();
      }
      parked.clear();
    },
  };
}
