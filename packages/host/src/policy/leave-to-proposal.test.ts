import type { ApprovalRequest } from "@ikigai/core/host";
import { expect, test } from "vitest";
import { leaveToProposal } from "./leave-to-proposal.ts";

const approver = leaveToProposal(async () => ({ approved: false, by: "a person" }));
const request = (tool: string, shown: Awaited<ReturnType<ApprovalRequest["preview"]>>): ApprovalRequest =>
  ({ tool, preview: async () => shown }) as unknown as ApprovalRequest;

test.each([
  [
    "a command that confirms itself, whatever it is called",
    "slash_command",
    { description: "x", confirmsItself: true },
    true,
  ],
  ["a command whose preview only reads like one", "slash_command", { description: "/compact blocks/a" }, false],
  ["another tool that claims to confirm itself", "bash", { description: "/compact", confirmsItself: true }, false],
])("only a command that says so asks by itself: %s", async (_, tool, shown, approved) => {
  expect(await approver(request(tool, shown))).toMatchObject({ approved });
});
