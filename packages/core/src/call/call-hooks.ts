import type { CallFacts, Effect } from "../policy/policy.ts";
import type { Envelope } from "../tool/tool.ts";

/** A call that was checked and is about to be judged. */
export interface HookedCall extends CallFacts {
  readonly callId: string;
  readonly operation: string | undefined;
  readonly input: unknown;
  readonly effects: readonly Effect[];
}

/** The user's own word on calls, before and after. */
export interface CallHooks {
  /** Contract: `undefined` is no objection; an objection denies the call. A rejection is a defect, and the call does not run. */
  before(call: HookedCall): Promise<{ readonly reason: string } | undefined>;
  /** Contract: a rejection is reported as a defect and does not change the answer. */
  after(
    call: CallFacts & { readonly callId: string; readonly operation: string | undefined; readonly envelope: Envelope },
  ): Promise<void>;
}
