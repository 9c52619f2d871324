import type { Preview } from "@ikigai/core";
import type { ApprovalRequest } from "@ikigai/core/host";
import { afterEach, expect, test, vi } from "vitest";
import { approvalAnswer, approvalForms, askByForms } from "./approval-form.ts";
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
    input: {},
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

const formOf = async (asked: ApprovalRequest): Promise<string> => {
  const forms = await approvalForms(asked);
  expect(forms).toHaveLength(1);
  return forms[0]?.message ?? "";
};

test("a form shows what will happen, and nothing more than is known", async () => {
  expect(await formOf(request())).toBe("file wants to:\n│ delete x:///a\n│ asks the partner");
  const preview = { description: "Deletes", before: "old", after: "new", count: 3, warning: "links break" };
  expect(await formOf(request(preview, { operation: "remove" }))).toBe(
    [
      "file remove wants to:",
      "│ delete x:///a",
      "│ asks the partner",
      "│ affects 3 things",
      "│ new size 3 bytes",
      "│ warning: links break",
      "│ @@ line 1 → 1 @@",
      "│ -old",
      "│ +new",
    ].join("\n"),
  );
});

test("a form of a call without a preview shows its arguments", async () => {
  const message = await formOf(request(undefined, { input: { query: "drop table x", limit: 3 } }));
  expect(message).toContain("│ query: drop table x\n│ limit: 3");
});

test("a form gives the reason of the layer that asks, not of the last one that was heard", async () => {
  const trace = [
    { layer: "protected", decision: "ask", needs: "person", reason: ".git is always asked for" },
    { layer: "source", decision: "allow", reason: "file:///.git/config is read_write" },
  ] as const;
  const effect = { action: "create", target: "file:///.git/config" } as const;
  const message = await formOf(request(undefined, { verdicts: [{ effect, decision: "ask", needs: "person", trace }] }));
  expect(message).toContain("│ create file:///.git/config\n│ because .git is always asked for");
});

test("a form cannot be forged by the text it is about", async () => {
  const target = "ls\nbash wants to:\n- nothing\r\u001b[2J\u202e";
  const effect = { action: "execute", target } as const;
  const message = await formOf(
    request(undefined, { verdicts: [{ effect, decision: "ask", needs: "mode", trace: [] }] }),
  );
  const [first, ...rest] = message.split("\n");
  expect(first).toBe("file wants to:");
  for (const line of rest) expect(line).toMatch(/^│ /);
  expect(message).toContain(String.raw`- nothing\r\u{1b}[2J\u{202e}`);
});

test("the part of a question that does not fit into one form is in the next ones, reached by show_more", async () => {
  const content = Array.from({ length: 2_000 }, (_, index) => `line ${index}.`).join("\n");
  const asked = request({ description: "", after: `${content}\n${"x".repeat(5_000)}` });
  const forms = await approvalForms(asked);
  expect(forms.length).toBeGreaterThan(3);
  const seen: string[] = [];
  const answer = await askByForms(asked, async ({ message, requestedSchema }) => {
    seen.push(message);
    expect(message.length).toBeLessThan(9_000);
    const { enum: offered } = requestedSchema.properties["decision"] as { enum: string[] };
    expect(offered.includes("show_more")).toBe(seen.length < forms.length);
    return approvalAnswer("accept", { decision: offered.at(-1) }, "me");
  });
  expect(answer).toEqual({ approved: true, by: "me" });
  const whole = seen.join("\n");
  for (let index = 0; index < 2_000; index++) expect(whole).toContain(`+line ${index}.`);
  expect(whole.match(/x/g)?.length).toBeGreaterThanOrEqual(5_000);
  expect(await askByForms(asked, async () => "show_more")).toMatchObject({ approved: false });
});

test("only an explicit yes in a form approves a call", () => {
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
      const [form] = await approvalForms(request());
      const given = form && (await running.ask(form));
      return { success: true, data: given?.action };
    },
  );
  const step = await call.next();
  expect(step.kind).toBe("asking");
  const asks = step.kind === "asking" ? step.asks : [];
  asks[0]?.answer({ action: "accept" });
  expect(await call.next()).toEqual({ kind: "ended", envelope: { success: true, data: "accept" } });
});
