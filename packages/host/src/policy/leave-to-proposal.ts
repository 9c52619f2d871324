import type { Approver } from "@ikigai/core/host";

/**
 * Lets a command that shows its proposal ask by itself, so that a person is asked once and sees what they agree to.
 *
 * Contract: only for a slash command that says so; everything else goes to `approver`.
 */
export function leaveToProposal(approver: Approver): Approver {
  return async (request) => {
    const shown = request.tool === "slash_command" ? await request.preview().catch(() => undefined) : undefined;
    if (shown?.confirmsItself === true) {
      return { approved: true, by: "terminal, with the proposal" };
    }
    return approver(request);
  };
}
