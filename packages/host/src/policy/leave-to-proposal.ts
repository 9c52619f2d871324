import type { Approver } from "@ikigai/core/host";

/** Commands that ask by themselves once there is something to look at. */
const PROPOSES = /^\/?compact(\s|$)/;

/**
 * Lets a command that shows its proposal ask by itself, so that a person is asked once and sees what they agree to.
 *
 * Contract: only for a host whose commands do confirm; everything else goes to `approver`.
 */
export function leaveToProposal(approver: Approver): Approver {
  return async (request) => {
    const shown = request.tool === "slash_command" ? await request.preview().catch(() => undefined) : undefined;
    if (shown !== undefined && PROPOSES.test(shown.description)) {
      return { approved: true, by: "terminal, with the proposal" };
    }
    return approver(request);
  };
}
