import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import type { ApprovalRequest } from "../policy/approval.ts";
import type { CallIntent, CallOutcome } from "../audit.ts";
import { type ErrorCode, IkigaiError } from "../errors.ts";
import { createPolicy, type Effect, type Opinion } from "../policy/policy.ts";
import { type AnyTool, defineTool, type Envelope, type Tool, type ToolContext } from "../tool/tool.ts";
import { createToolRegistry, type ToolRegistry, type ToolRegistryOptions } from "../tool/tool-registry.ts";

afterEach(() => void vi.useRealTimers());

const WRITE: Effect = { action: "update", target: "file:///a.md" };

function tool(change: Partial<AnyTool> = {}): AnyTool {
  return defineTool({
    name: "echo",
    description: "Says it again.",
    input: z.object({ text: z.string(), times: z.int().optional() }),
    effects: () => [],
    run: async ({ text }: { text: string }) => text,
    ...change,
  } as Tool<never>);
}

function registryWith(change: Partial<AnyTool> = {}, options: ToolRegistryOptions = {}): ToolRegistry {
  const registry = createToolRegistry({ policy: createPolicy({ mode: () => "all" }), ...options });
  registry.register([tool(change)]);
  return registry;
}

function call(registry: ToolRegistry, args: unknown = { text: "hi" }, name = "echo"): Promise<Envelope> {
  return registry.call({ id: "1", name, arguments: args });
}

const throwing = { run: async () => Promise.reject(new Error("secret detail at /home/ada")) };
const refusing = {
  run: async () => Promise.reject(new IkigaiError("ambiguous", "two match", { hint: "Choose.", details: { of: 2 } })),
};

interface Row {
  readonly args?: unknown;
  readonly name?: string;
  readonly tool?: Partial<AnyTool>;
  readonly options?: ToolRegistryOptions;
  readonly code: ErrorCode | "success";
  readonly says?: RegExp;
}

const TABLE: Record<string, Row> = {
  "truncated JSON": {
    args: '{"text": "echo hi',
    code: "invalid_input",
    says: /not valid JSON.*Send the whole call again/s,
  },
  "two JSON objects": { args: '{"text":"a"}{"text":"b"}', code: "invalid_input", says: /not valid JSON/ },
  "no JSON at all": { args: "", code: "invalid_input" },
  "a list": { args: "[]", code: "invalid_input", says: /not a list/ },
  null: { args: "null", code: "invalid_input", says: /not null/ },
  "a number": { args: 7, code: "invalid_input", says: /not a number/ },
  "a wrong type": {
    args: { text: 7 },
    code: "invalid_input",
    says: /text: .*Correct it and call again\. The fields are: text \(required\), times\.$/s,
  },
  "a missing field": { args: {}, code: "invalid_input", says: /text: .*text \(required\)/s },
  "an extra field": {
    args: { text: "a", force: true },
    code: "invalid_input",
    says: /unknown field "force".*text, times/s,
  },
  "an extra field named like a property of objects": { args: '{"text":"a","__proto__":{}}', code: "invalid_input" },
  "a text with a NUL": {
    args: { text: "a\0b" },
    code: "invalid_input",
    says: /"text" contains a NUL character, at offset 1/,
  },
  "a text with half of a surrogate pair": { args: { text: "\ud800" }, code: "invalid_input", says: /surrogate pair/ },
  "arguments that are nested deeper than the stack": {
    args: JSON.parse(`{"text":${"[".repeat(100_000)}${"]".repeat(100_000)}}`) as { text: string },
    code: "invalid_input",
    says: /"text" is nested more than 200 levels deep/,
  },
  "an unknown tool": { name: "no_such_tool", code: "not_found", says: /Use one of: echo/ },
  "a name that is hostile": { name: "x".repeat(10_000), code: "not_found" },
  "a tool that throws": { tool: throwing, code: "internal", says: /^echo failed unexpectedly$/ },
  "a tool that throws at once": {
    tool: {
      run: () => {
        throw new TypeError("sync");
      },
    },
    code: "internal",
  },
  "a tool that throws nothing": { tool: { run: () => Promise.reject(undefined) }, code: "internal" },
  "a tool that says why": { tool: refusing, code: "ambiguous", says: /^two match\. Choose\.$/ },
  "a tool that never returns": { tool: { timeoutMs: 20, run: () => new Promise(() => {}) }, code: "timeout" },
  "a registry's time limit": {
    tool: { run: () => new Promise(() => {}) },
    options: { timeoutMs: 20 },
    code: "timeout",
    says: /within 20 ms/,
  },
  "effects that throw": {
    tool: {
      effects: () => {
        throw new Error("no");
      },
    },
    code: "internal",
  },
  "effects that never come": { tool: { timeoutMs: 20, effects: () => new Promise(() => {}) }, code: "timeout" },
  "a render that throws": {
    tool: {
      render: () => {
        throw new Error("no");
      },
    },
    code: "internal",
  },
  "a result that is a circle": { tool: { run: async () => circle() }, code: "internal" },
  "a result that is a bigint": { tool: { run: async () => 1n }, code: "internal" },
  "50 MB": { tool: { run: async () => "x".repeat(50_000_000) }, code: "success" },
  "an error of 5 MB": {
    tool: { run: async () => Promise.reject(new IkigaiError("conflict", "x".repeat(5_000_000), { hint: "y" })) },
    code: "conflict",
  },
  "details of 5 MB": {
    tool: {
      run: async () => Promise.reject(new IkigaiError("conflict", "x", { details: { a: "y".repeat(5_000_000) } })),
    },
    code: "conflict",
  },
  "details that are a circle": {
    tool: { run: async () => Promise.reject(new IkigaiError("conflict", "x", { details: { a: circle() } })) },
    code: "conflict",
  },
  "no result": { tool: { run: async () => undefined }, code: "success" },
  "a denied effect": {
    tool: { effects: () => [WRITE] },
    options: { policy: createPolicy({ mode: () => "none" }) },
    code: "permission_denied",
  },
  "an asked effect and nobody to ask": {
    tool: { effects: () => [WRITE] },
    options: { policy: createPolicy(), howToAllow: () => "Pass --approve all." },
    code: "permission_denied",
    says: /Pass --approve all\./,
  },
  "an audit that cannot be written": {
    options: { audit: { intent: () => Promise.reject(new Error("disk full")), outcome: async () => {} } },
    code: "unavailable",
    says: /did not run/,
  },
  "an audit that never answers": {
    tool: { timeoutMs: 20 },
    options: { audit: { intent: () => new Promise(() => {}), outcome: async () => {} } },
    code: "timeout",
  },
};

function circle(): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  return Object.assign(value, { value });
}

test.each(Object.entries(TABLE))("%s gives exactly one envelope", async (_, row) => {
  const { args = { text: "hi" }, name = "echo", code, says = /./ } = row;
  const outcomes: CallOutcome[] = [];
  const audit = { intent: async () => {}, outcome: async (one: CallOutcome) => void outcomes.push(one) };
  const registry = registryWith(row.tool, { audit, ...row.options });
  const envelope = await call(registry, args, name);
  expect(envelope.success ? "success" : envelope.code).toBe(code);
  expect(envelope.success || says.test(envelope.error)).toBe(true);
  expect(JSON.stringify(envelope).length).toBeLessThan(70_000);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(row.options?.audit === undefined ? [code] : []);
});

test("a withdrawn tool is unknown to the registry and unavailable to whoever was offered it", async () => {
  const registry = createToolRegistry();
  const registration = registry.register([tool()]);
  const offered = registry.snapshot();
  registration[Symbol.dispose]();
  expect(await call(registry)).toMatchObject({
    success: false,
    code: "not_found",
    error: expect.stringContaining("no tools now") as string,
  });
  expect(await offered.call({ name: "echo", arguments: {} })).toMatchObject({ success: false, code: "unavailable" });
});

test("arguments may be text or the object itself", async () => {
  expect(await call(registryWith(), '{"text":"a"}')).toEqual({ success: true, data: "a" });
  expect(await call(registryWith(), { text: "a" })).toEqual({ success: true, data: "a" });
});

test("a schema that takes further fields gets them", async () => {
  const registry = registryWith({ input: z.looseObject({ text: z.string() }), run: async (input: unknown) => input });
  expect(await call(registry, { text: "a", more: 1 })).toMatchObject({ data: { text: "a", more: 1 } });
});

test("a tool without fields says so", async () => {
  const envelope = await call(registryWith({ input: z.object({}) }), { a: 1 });
  expect(envelope).toMatchObject({ error: expect.stringContaining("Use only these fields: none.") as string });
});

test("a 50 MB result is cut, kept whole and named", async () => {
  const kept: string[] = [];
  const keepOutput = async (callId: string, text: string) => `kept:///${callId}/${kept.push(text)}`;
  const registry = registryWith(
    { run: async () => ({ id: 7, text: "x".repeat(50_000_000) }) },
    { keepOutput, maxOutputSize: 1_000 },
  );
  const envelope = await call(registry);
  expect(envelope).toMatchObject({
    success: true,
    data: { id: 7 },
    truncated: { kept: "kept:///1/1", total_chars: 50_000_000 },
  });
  expect(JSON.stringify(envelope).length).toBeLessThan(1_200);
  expect(kept[0]).toHaveLength(50_000_000);
});

test.each([
  ["fails", () => Promise.reject(new Error("disk full"))],
  ["never answers", () => new Promise<string>(() => {})],
])("a tool that ran is a success, also when keeping its long text %s", async (_, keepOutput) => {
  const defects: unknown[] = [];
  const options = { keepOutput, maxOutputSize: 100, onDefect: (error: unknown) => void defects.push(error) };
  vi.useFakeTimers();
  const pending = call(registryWith({ timeoutMs: 50, run: async () => "x".repeat(500) }, options));
  await vi.advanceTimersByTimeAsync(50);
  const envelope = await pending;
  expect(envelope).toMatchObject({ success: true, truncated: { total_chars: 500 } });
  expect(envelope).not.toHaveProperty("truncated.kept");
  expect(defects).toHaveLength(1);
});

test("a tool's render makes the data of its answer", async () => {
  expect(await call(registryWith({ render: (text: string) => ({ said: text }) }))).toMatchObject({
    data: { said: "hi" },
  });
});

test("the model hears nothing of a defect, the operator everything", async () => {
  const defects: unknown[] = [];
  const envelope = await call(registryWith(throwing, { onDefect: (error) => void defects.push(error) }));
  expect(JSON.stringify(envelope)).not.toContain("ada");
  expect(defects).toEqual([new Error("secret detail at /home/ada")]);
});

test("an operator that fails itself does not spoil the answer", async () => {
  const onDefect = () => {
    throw new Error("log is full");
  };
  const audit = { intent: async () => {}, outcome: () => Promise.reject(new Error("disk full")) };
  expect(await call(registryWith(throwing, { onDefect, audit }))).toMatchObject({ code: "internal" });
});

test("an outcome that cannot be written is a defect and does not change the answer", async () => {
  const defects: unknown[] = [];
  const audit = { intent: async () => {}, outcome: () => Promise.reject(new Error("disk full")) };
  const envelope = await call(registryWith({}, { audit, onDefect: (error) => void defects.push(error) }));
  expect(envelope).toEqual({ success: true, data: "hi" });
  expect(defects).toEqual([new Error("disk full")]);
});

test("the intent is written before the tool runs, and stops it when it cannot be", async () => {
  const steps: string[] = [];
  const run = async () => void steps.push("run");
  const intents: CallIntent[] = [];
  const audit = {
    intent: async (intent: CallIntent) => {
      steps.push("intent");
      intents.push(intent);
    },
    outcome: async () => void steps.push("outcome"),
  };
  await call(registryWith({ run, effects: () => [WRITE] }, { audit }));
  expect(steps).toEqual(["intent", "run", "outcome"]);
  expect(intents).toMatchObject([
    { callId: "1", tool: "echo", agent: "default", input: { text: "hi" }, verdicts: [{ effect: WRITE }] },
  ]);
  steps.length = 0;
  const broken = { ...audit, intent: () => Promise.reject(new Error("disk full")) };
  await call(registryWith({ run }, { audit: broken }));
  expect(steps).toEqual(["outcome"]);
});

test("a call gets an id of its own when it has none, and says who makes it", async () => {
  const registry = registryWith({
    run: async (_: unknown, { callId, agent, conversation }: ToolContext) => ({ callId, agent, conversation }),
  });
  const request = { name: "echo", arguments: { text: "" } };
  const first = await registry.call(request, { agent: "ada", conversation: "c1" });
  const second = await registry.call(request);
  expect(first).toMatchObject({ data: { agent: "ada", conversation: "c1" } });
  expect(first.success && first.data).not.toEqual(second.success && second.data);
});

test("a call that is cancelled before it begins runs nothing", async () => {
  const run = vi.fn(async () => 1);
  const registry = registryWith({ run });
  const envelope = await registry.call({ name: "echo", arguments: { text: "" } }, { signal: AbortSignal.abort() });
  expect(envelope).toMatchObject({ success: false, code: "aborted" });
  expect(run).not.toHaveBeenCalled();
});

test("a call that is cancelled while it runs answers at once, and the tool hears of it", async () => {
  const controller = new AbortController();
  let heard = false;
  const registry = registryWith({
    run: (_: unknown, { signal }: ToolContext) => {
      signal.addEventListener("abort", () => (heard = true));
      controller.abort();
      return new Promise(() => {});
    },
  });
  const envelope = await registry.call({ name: "echo", arguments: { text: "" } }, { signal: controller.signal });
  expect(envelope).toMatchObject({ code: "aborted" });
  expect(heard).toBe(true);
});

test("a call that is cancelled while it is judged does not run", async () => {
  const controller = new AbortController();
  const run = vi.fn(async () => 1);
  const audit = { intent: async () => controller.abort(), outcome: async () => {} };
  const registry = registryWith({ run }, { audit });
  const envelope = await registry.call({ name: "echo", arguments: { text: "" } }, { signal: controller.signal });
  expect(envelope).toMatchObject({ code: "aborted" });
  expect(run).not.toHaveBeenCalled();
});

test("a call runs the checked input that was approved, with a preview on demand", async () => {
  const seen: unknown[] = [];
  const approver = async (request: ApprovalRequest) => {
    seen.push(await request.preview(), request.operation);
    return { approved: true as const, by: "Ada" };
  };
  const intents: CallIntent[] = [];
  const audit = { intent: async (intent: CallIntent) => void intents.push(intent), outcome: async () => {} };
  const registry = registryWith(
    {
      input: z.object({ op: z.enum(["say"]), text: z.string() }),
      operations: { say: "Says." },
      effects: () => [WRITE],
      preview: async ({ text }: { text: string }) => ({ description: `says ${text}` }),
      run: async (input: unknown) => input,
    },
    { policy: createPolicy(), approver, audit },
  );
  const envelope = await call(registry, { op: "say", text: "hi" });
  expect(seen).toEqual([{ description: "says hi" }, "say"]);
  expect(intents).toMatchObject([{ approvedBy: "Ada", operation: "say" }]);
  expect(envelope.success && envelope.data).toBe(intents[0]?.input);
});

test("a person may take longer than the tool", async () => {
  vi.useFakeTimers();
  const approver = () =>
    new Promise<{ approved: true; by: string }>((resolve) => {
      setTimeout(() => resolve({ approved: true, by: "Ada" }), 600_000);
    });
  const registry = registryWith({ timeoutMs: 30, effects: () => [WRITE] }, { policy: createPolicy(), approver });
  const pending = call(registry);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await pending).toEqual({ success: true, data: "hi" });
});

test("a policy that never answers runs into the time limit", async () => {
  const policy = { judge: () => new Promise<never>(() => {}) };
  expect(await call(registryWith({ timeoutMs: 20, effects: () => [WRITE] }, { policy }))).toMatchObject({
    code: "timeout",
  });
});

test("a tool asks for effects that it did not know before, and the audit hears of all of them", async () => {
  const outcomes: CallOutcome[] = [];
  const audit = { intent: async () => {}, outcome: async (one: CallOutcome) => void outcomes.push(one) };
  const policy = createPolicy({
    mode: () => "all",
    layers: [
      { name: "l", judge: ({ action }) => (action === "delete" ? { decision: "deny", reason: "no" } : undefined) },
    ],
  });
  const more = (action: Effect["action"]): Partial<AnyTool> => ({
    effects: () => [WRITE],
    run: async (_: unknown, context: ToolContext) => context.permit([{ action, target: "file:///b.md" }]),
  });
  expect(await call(registryWith(more("create"), { policy, audit }))).toMatchObject({ success: true });
  expect(await call(registryWith(more("delete"), { policy, audit }))).toMatchObject({ code: "permission_denied" });
  expect(outcomes.map(({ verdicts }) => verdicts.map(({ decision }) => decision))).toEqual([
    ["allow", "allow"],
    ["allow", "deny"],
  ]);
});

test("a call that touches nothing is asked for once when a rule wants consent, and its plan says so", async () => {
  const judgeCall = (): Opinion => ({ decision: "ask", needs: "person", reason: "consent" });
  const policy = createPolicy({ mode: () => "all", layers: [{ name: "agent", judge: () => undefined, judgeCall }] });
  const tool: Partial<AnyTool> = {
    effects: () => [],
    run: async (_: unknown, context: ToolContext) => context.permit([]),
  };
  expect(await call(registryWith(tool, { policy }))).toMatchObject({
    code: "permission_denied",
    error: expect.stringContaining("consent, and nobody can be asked"),
  });
  const approver = vi.fn(async () => ({ approved: true as const, by: "Ada" }));
  const registry = registryWith(tool, { policy, approver });
  expect(await call(registry)).toMatchObject({ success: true });
  expect(approver).toHaveBeenCalledTimes(1);
  const plan = await registry.plan({ name: "echo", arguments: { text: "x" } });
  expect(plan).toMatchObject({ effects: [], verdicts: [{ decision: "ask" }] });
});

test("a tool that was given up asks nobody any more", async () => {
  const approver = vi.fn(async () => ({ approved: true as const, by: "Ada" }));
  const asked: Promise<unknown>[] = [];
  const registry = registryWith(
    {
      timeoutMs: 20,
      run: (_: unknown, context: ToolContext) =>
        new Promise(() => {
          context.signal.addEventListener("abort", () =>
            asked.push(context.permit([WRITE]).catch((error: unknown) => error)),
          );
        }),
    },
    { policy: createPolicy(), approver },
  );
  expect(await call(registry)).toMatchObject({ code: "timeout" });
  expect(await asked[0]).toMatchObject({ code: "timeout" });
  expect(approver).not.toHaveBeenCalled();
});

test("progress reaches whoever listens, and a listener that throws stops nothing", async () => {
  const heard: string[] = [];
  const defects: unknown[] = [];
  const registry = registryWith(
    { run: async (_: unknown, context: ToolContext) => context.progress("half") },
    { onDefect: (error) => void defects.push(error) },
  );
  const request = { name: "echo", arguments: { text: "" } };
  await registry.call(request, { onProgress: (message) => void heard.push(message) });
  const onProgress = () => {
    throw new Error("screen gone");
  };
  expect(await registry.call(request, { onProgress })).toMatchObject({ success: true });
  expect(await registry.call(request)).toMatchObject({ success: true });
  expect([heard, defects]).toEqual([["half"], [new Error("screen gone")]]);
});

test("an operation that is not allowed is refused, also when the call leaves it to the tool", async () => {
  const run = vi.fn(async () => 1);
  const registry = registryWith({
    input: z.object({ op: z.enum(["get", "set"]).optional() }),
    operations: { get: "Reads.", set: "Writes." },
    run,
  });
  const catalog = registry.snapshot({ allowed: { echo: ["get"] } });
  const refused = await catalog.call({ name: "echo", arguments: { op: "set" } });
  expect(refused).toMatchObject({
    code: "permission_denied",
    error: expect.stringContaining("Use one of: get.") as string,
  });
  expect(await catalog.call({ name: "echo", arguments: {} })).toMatchObject({ code: "permission_denied" });
  expect(run).not.toHaveBeenCalled();
  expect(await catalog.call({ name: "echo", arguments: { op: "get" } })).toMatchObject({ success: true });
  const other = registry.snapshot({ allowed: { other: [] } });
  expect(await other.call({ name: "echo", arguments: { op: "set" } })).toMatchObject({ success: true });
});

test("a tool that runs knows where each of its targets led when it was judged, also those it asked for later", async () => {
  const later: Effect = { action: "update", target: "file:///b.md" };
  let known: ToolContext["places"];
  const policy = createPolicy({
    mode: () => "all",
    follow: (effect) => ({ final: effect, place: { path: `final of ${effect.target}` } }),
  });
  const registry = registryWith(
    {
      effects: () => [WRITE],
      run: async (_: unknown, context: ToolContext) => {
        await context.permit([later]);
        known = context.places;
      },
    },
    { policy },
  );
  expect((await call(registry)).success).toBe(true);
  expect([...(known ?? [])]).toEqual([
    ["file:///a.md", { path: "final of file:///a.md" }],
    ["file:///b.md", { path: "final of file:///b.md" }],
  ]);
});
