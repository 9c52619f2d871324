import { IkigaiError } from "@ikigai/core";

/** Contract: throws `aborted` once the caller has given up. */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new IkigaiError("aborted", "The caller gave up", { cause: signal.reason });
}
