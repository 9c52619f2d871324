import type { ApprovalRequest, Preview } from "@ikigai/core";
import { afterEach, expect, test, vi } from "vitest";
import { approvalAnswer, approvalForm } from "./approval-form.ts";
import { createMcpApprovals } from "./approvals.ts";
import { createParkedCalls } from "./parked-calls.ts";
import { startCall } from "./running-call.ts";

afterEach(() => void vi.useRealTimers());

function request(preview?: Preview, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    callId: "1",
    tool: "file",
    agent: "a",
    conversation: "c",
    verdicts: [
      {
        effect: { action: "delete", target: "x:///a" },
        decision: "ask",
        needs: "person",
        person: "partner",
        trace: [],
      },
    ],
    preview: async () => preview,
    signal: new AbortController().signal,
    ...more,
  };
}

test("a form shows what will happen, and nothing more than is known", async () => {
  const plain = await approvalForm(request());
  expect(plain.message).toBe("file wants to:\n- delete x:///a (no rule allows it, asks partner)");
  const preview = { description: "Deletes", before: "old", after: "new", count: 3, warning: "links break" };
  const { message } = await approvalForm(request(preview, { operation: "remove" }));
  expect(message).toContain("file remove wants to:");
  expect(message).toContain("Deletes\nAffected: 3\nWarning: links break\nBefore:\nold\nAfter:\nnew");
});

test("a form gives the reason of the layer that asks, not of the last one that was heard", async () => {
  const trace = [
    { layer: "protected", decision: "ask", needs: "person", reason: ".git is always asked for" },
    { layer: "source", decision: "allow", reason: "file:///.git/config is read_write" },
  ] as const;
  const effect = { action: "create", target: "file:///.git/config" } as const;
  const { message } = await approvalForm(
    request(undefined, { verdicts: [{ effect, decision: "ask", needs: "person", trace }] }),
  );
  expect(message).toContain("- create file:///.git/config (.git is always asked for)");
});

test("only an explicit yes is one", () => {
  expect(approvalAnswer("accept", { decision: "allow" }, "me")).toEqual({ approved: true, by: "me" });
  for (const [action, content] of [
    ["accept", undefined],
    ["accept", null],
    ["accept", {}],
    ["decline", { decision: "allow" }],
  ] as const) {
    expect(approvalAnswer(action, content, "me")).toMatchObject({ approved: false });
  }
});

test("calls that did not come over MCP go to the fallback, or to nobody", async () => {
  expect(await createMcpApprovals().approver(request())).toEqual({ approved: false, absent: true });
  const { approver } = createMcpApprovals({ fallback: async () => ({ approved: true, by: "terminal" }) });
  expect(await approver(request())).toEqual({ approved: true, by: "terminal" });
});

test("a call nobody comes back for is cancelled", async () => {
  vi.useFakeTimers();
  const parked = createParkedCalls(1_000);
  const call = startCall(
    () => "f",
    () => new Promise(() => {}),
  );
  const ticket = parked.park(call);
  vi.advanceTimersByTime(1_000);
  expect(call.signal.aborted).toBe(true);
  expect(() => parked.resume(ticket, "f")).toThrow("No call waits");
  expect(() => parked.resume(undefined, "f")).toThrow("No call waits");
});

test("a call that asks is answered in the middle of its run", async () => {
  const call = startCall(
    () => "f",
    async (running) => {
      const given = await running.ask(await approvalForm(request()));
      return { success: true, data: given?.action };
    },
  );
  const step = await call.next();
  expect(step.kind).toBe("asking");
  const asks = step.kind === "asking" ? step.asks : [];
  asks[0]?.answer({ action: "accept" });
  expect(await call.next()).toEqual({ kind: "ended", envelope: { success: true, data: "accept" } });
});
