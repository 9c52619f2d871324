import type { ApprovalRequest, Approver, ApprovalAnswer } from "@ikigai/core/host";

/** The bridge between a registry, which asks, and MCP connections, through which a person can be reached. */
export interface McpApprovals {
  /** Give this to the registry. */
  readonly approver: Approver;
  /** Answers the asks of one call while it runs. Dispose when it ended. */
  answer(callId: string, approver: Approver): Disposable;
}

export interface McpApprovalsOptions {
  /** Approver for calls that did not come over MCP. Absent: nobody can be asked about those. */
  readonly fallback?: Approver;
}

/**
 * An approver that asks through the connection a call came from.
 *
 * Contract: a client that cannot show a form counts as nobody to ask, so the call is refused with the registry's
 * `howToAllow`.
 */
export function createMcpApprovals(options: McpApprovalsOptions = {}): McpApprovals {
  const approvers = new Map<string, Approver>();
  return {
    async approver(request: ApprovalRequest): Promise<ApprovalAnswer> {
      const approver = approvers.get(request.callId) ?? options.fallback;
      return approver === undefined ? { approved: false, absent: true } : approver(request);
    },
    answer(callId, approver) {
      approvers.set(callId, approver);
      return { [Symbol.dispose]: () => void approvers.delete(callId) };
    },
  };
}
