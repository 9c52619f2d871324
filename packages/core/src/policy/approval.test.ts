import { expect, test } from "vitest";
import { type ApprovalRequest, permitEffects, Refusal } from "./approval.ts";
import { createPolicy, type Effect, type Opinion, type PolicyLayer } from "./policy.ts";

const REQUEST: Omit<ApprovalRequest, "verdicts"> = {
  tool: "file_write",
  agent: "a",
  conversation: "c",
  callId: "1",
  input: {},
  preview: async () => undefined,
  signal: new AbortController().signal,
};
const WRITE: Effect = { action: "update", target: "file:///a.md" };
const READ: Effect = { action: "read", target: "file:///b.md" };

function says(opinion: Opinion): PolicyLayer {
  return { name: "rule", judge: () => opinion };
}

test("a call whose effects are all allowed asks nobody", async () => {
  const permit = await permitEffects(
    [READ],
    REQUEST,
    () => REQUEST,
    createPolicy(),
    undefined,
    () => "",
  );
  expect(permit).toMatchObject({ verdicts: [{ decision: "allow" }] });
  expect(permit).not.toHaveProperty("approvedBy");
});

test("a call that touches nothing is asked for when a layer judges calls, and by no mode or grant answered", async () => {
  const consent: PolicyLayer = {
    name: "consent",
    judge: () => undefined,
    judgeCall: ({ tool }) => (tool === "file_write" ? { decision: "ask", needs: "person", reason: "rule" } : undefined),
  };
  const silent: PolicyLayer = { name: "silent", judge: () => undefined };
  const policy = createPolicy({ layers: [silent, consent], mode: () => "all" });
  const permit = (tool: string, approver?: Parameters<typeof permitEffects>[4]) =>
    permitEffects(
      [],
      { ...REQUEST, tool },
      () => REQUEST,
      policy,
      approver,
      () => "Ask a person.",
    );
  await expect(permit("file_write")).rejects.toMatchObject({
    message: "file_write may not execute file_write: rule, and nobody can be asked",
    hint: "Ask a person.",
  });
  expect(await permit("file_write", async () => ({ approved: true, by: "Ada" }))).toMatchObject({
    approvedBy: "Ada",
    verdicts: [{ decision: "ask", needs: "person", trace: [{ layer: "consent" }] }],
  });
  expect(await permit("file_read")).toEqual({ verdicts: [] });
});

test("all asks of a call are put in one question", async () => {
  const questions: ApprovalRequest[] = [];
  const approver = async (request: ApprovalRequest) => {
    questions.push(request);
    return { approved: true as const, by: "Ada" };
  };
  const other = { ...WRITE, target: "file:///c.md" };
  const permit = await permitEffects(
    [WRITE, READ, other],
    REQUEST,
    () => REQUEST,
    createPolicy(),
    approver,
    () => "",
  );
  expect(questions.map(({ verdicts }) => verdicts.map(({ effect }) => effect))).toEqual([[WRITE, other]]);
  expect(permit.approvedBy).toBe("Ada");
  expect(permit.verdicts).toHaveLength(3);
});

test("a call that must be asked for is refused when there is nobody to ask, and the hint says how to allow it", async () => {
  const refusal = permitEffects(
    [WRITE],
    REQUEST,
    () => REQUEST,
    createPolicy(),
    undefined,
    () => "Pass --approve edits.",
  );
  await expect(refusal).rejects.toMatchObject({ code: "permission_denied", hint: "Pass --approve edits." });
  await expect(refusal).rejects.toThrow("nobody can be asked");
});

test("why nobody can be asked is told, and a question that failed is no person's no", async () => {
  const permit = (approver: Parameters<typeof permitEffects>[4]) =>
    permitEffects(
      [WRITE],
      REQUEST,
      () => REQUEST,
      createPolicy(),
      approver,
      () => "",
    );
  const absent = permit(async () => ({ approved: false, absent: true, reason: "the client has no forms" }));
  await expect(absent).rejects.toThrow("nobody can be asked: the client has no forms");
  const failed = permit(async () => {
    throw new Error("line cut");
  });
  await expect(failed).rejects.toThrow("file_write was not allowed to update file:///a.md: asking failed: line cut");
});

test("silence is told as silence, not as a person's no", async () => {
  const silence = permitEffects(
    [WRITE],
    REQUEST,
    () => REQUEST,
    createPolicy(),
    async () => ({ approved: false, unanswered: true, reason: "nobody answered within 300 s" }),
    () => "",
  );
  await expect(silence).rejects.toThrow(
    "file_write was not allowed to update file:///a.md: nobody answered within 300 s",
  );
});

test("a person's refusal carries its reason to the caller", async () => {
  const no = permitEffects(
    [WRITE],
    REQUEST,
    () => REQUEST,
    createPolicy(),
    async () => ({ approved: false, reason: "not today" }),
    () => "",
  );
  await expect(no).rejects.toThrow("The user refused to let file_write update file:///a.md: not today");
  const bare = permitEffects(
    [WRITE],
    REQUEST,
    () => REQUEST,
    createPolicy(),
    async () => ({ approved: false }),
    () => "",
  );
  await expect(bare).rejects.toThrow(/a\.md$/);
});

test.each([
  ["rejects", async () => Promise.reject(new Error("terminal gone"))],
  [
    "throws",
    () => {
      throw new Error("terminal gone");
    },
  ],
])("an approver that %s has said no", async (_, approver) => {
  await expect(
    permitEffects(
      [WRITE],
      REQUEST,
      () => REQUEST,
      createPolicy(),
      approver,
      () => "",
    ),
  ).rejects.toThrow("asking failed: terminal gone");
});

test("a deny asks nobody, carries every verdict, and names the layer's reason rather than the last opinion", async () => {
  const layers = [says({ decision: "deny", reason: "protected file" }), says({ decision: "allow", reason: "open" })];
  const approver = () => expect.unreachable("asked");
  const error: unknown = await permitEffects(
    [READ, WRITE],
    REQUEST,
    () => REQUEST,
    createPolicy({ layers }),
    approver,
    () => "",
  ).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Refusal);
  expect((error as Refusal).message).toBe("file_write may not read file:///b.md: protected file");
  expect((error as Refusal).verdicts).toHaveLength(2);
});

test("a verdict without a trace still gives a sentence", async () => {
  const verdict = { effect: WRITE, decision: "deny" as const, needs: "mode" as const, trace: [] };
  const policy = { judge: async () => verdict };
  await expect(
    permitEffects(
      [WRITE],
      REQUEST,
      () => REQUEST,
      policy,
      undefined,
      () => "",
    ),
  ).rejects.toThrow("no rule allows it");
});

test("of an ask, the reason is that of the layer which needs most", async () => {
  const layers = [
    says({ decision: "ask", reason: "a rule" }),
    says({ decision: "ask", needs: "person", reason: "the protected set" }),
  ];
  const attempt = permitEffects(
    [WRITE],
    REQUEST,
    () => REQUEST,
    createPolicy({ layers }),
    undefined,
    () => "",
  );
  await expect(attempt).rejects.toThrow("the protected set, and nobody can be asked");
});

test.each([
  ["admin", "budget:///ann", "slash_command may not change the settings of budget:///ann: "],
  ["network", "https://example.org", "slash_command may not reach https://example.org: "],
  ["append", "file:///a.md", "slash_command may not append to file:///a.md: "],
  ["update", "file:///a.md", "slash_command may not update file:///a.md: "],
] as const)("a refusal of %s is a sentence", async (action, target, sentence) => {
  const policy = createPolicy({ mode: () => "ask" });
  const facts = { ...REQUEST, tool: "slash_command" };
  await expect(
    permitEffects(
      [{ action, target }],
      facts,
      () => REQUEST,
      policy,
      undefined,
      () => "",
    ),
  ).rejects.toThrow(sentence);
});

test.each([
  undefined,
  null,
  "yes",
  true,
  {},
  { approved: "false", by: "form" },
  { approved: 1, by: "me" },
  { approved: true },
])("an approver that answers %j has not approved", async (answer) => {
  const policy = createPolicy({ layers: [says({ decision: "ask", needs: "person", reason: "rule" })] });
  const asked = permitEffects(
    [WRITE],
    REQUEST,
    () => REQUEST,
    policy,
    async () => answer as never,
    () => "",
  );
  await expect(asked).rejects.toThrow(
    "file_write was not allowed to update file:///a.md: the answer was neither yes nor no",
  );
});
