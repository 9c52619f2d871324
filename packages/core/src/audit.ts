import type { ErrorCode } from "./errors.ts";
import type { CallFacts, Verdict } from "./policy/policy.ts";

/** A call that was permitted and is about to run. */
export interface CallIntent extends CallFacts {
  readonly callId: string;
  readonly operation?: string;
  /** The checked input, unredacted: the sink redacts. */
  readonly input: unknown;
  readonly verdicts: readonly Verdict[];
  readonly approvedBy?: string;
}

/** How a call ended. Also told for calls that never came to run. */
export interface CallOutcome extends CallFacts {
  readonly callId: string;
  readonly operation?: string;
  readonly outcome: "success" | ErrorCode;
  readonly error?: string;
  /** Verdicts on the call's effects; empty when the call was refused before it was judged. */
  readonly verdicts: readonly Verdict[];
}

/** The record of calls: `intent` is written before a call runs, `outcome` after it. */
export interface Audit {
  /**
   * Contract: resolves once the record is as safe as it needs to be. When it rejects the call does not run and
   * answers `unavailable`.
   */
  intent(call: CallIntent): Promise<void>;
  /** Contract: a rejection is reported as a defect and does not change the answer. */
  outcome(call: CallOutcome): Promise<void>;
}
