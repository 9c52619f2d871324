import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { CallHooks } from "./call-hooks.ts";
import { createPolicy } from "../policy/policy.ts";
import { defineTool } from "../tool/tool.ts";
import { createToolRegistry, type ToolRegistryOptions } from "../tool/tool-registry.ts";

let ran: string[];
beforeEach(() => {
  ran = [];
});

const write = defineTool({
  name: "write",
  description: "Writes.",
  operations: { append: "Adds.", erase: "Removes." },
  input: z.strictObject({ op: z.enum(["append", "erase"]), to: z.string() }),
  effects: ({ op, to }) => [{ action: op === "append" ? "append" : "delete", target: to }],
  run: async ({ to }) => void ran.push(to),
});
const open = (options: ToolRegistryOptions = {}) => {
  const registry = createToolRegistry(options);
  registry.register([write]);
  return registry;
};
const call = { name: "write", arguments: '{"op":"append","to":"a:///b"}' };

describe("a plan", () => {
  test("says what would be touched and decided, and runs nothing", async () => {
    const plan = await open().plan(call);
    expect(plan).toMatchObject({
      operation: "append",
      effects: [{ action: "append", target: "a:///b" }],
      verdicts: [{ decision: "ask", trace: [{ layer: "mode" }] }],
    });
    expect(ran).toEqual([]);
  });

  test.each([
    ["not_found", { name: "none", arguments: {} }, {}],
    ["invalid_input", { name: "write", arguments: "{" }, {}],
    ["permission_denied", { name: "write", arguments: { op: "erase", to: "x" } }, { write: ["append"] }],
  ])("is refused with %s as the call would be", async (code, request, allowed) => {
    await expect(open().snapshot({ allowed }).plan(request)).rejects.toMatchObject({ code });
  });

  test("of a call with a field that stands in it twice is refused", async () => {
    const twice = { name: "write", arguments: '{"op":"append","to":"a:///b","op":"erase"}' };
    await expect(open().plan(twice)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("twice"),
    });
    expect(await open({ policy: createPolicy({ mode: () => "all" }) }).call(twice)).toMatchObject({
      code: "invalid_input",
    });
    expect(ran).toEqual([]);
  });

  describe("that is handed to its call", () => {
    const counted = () => {
      let asked = 0;
      const tool = defineTool({
        name: "count",
        description: "Counts how often it is asked what it touches.",
        operations: { add: "Adds.", erase: "Removes." },
        input: z.strictObject({ op: z.enum(["add", "erase"]) }),
        effects: () => [{ action: "append", target: `a:///${++asked}` }],
        run: async () => asked,
      });
      return { tool, asked: () => asked };
    };
    const made = { id: "1", name: "count", arguments: '{"op":"add"}' };
    const all = createPolicy({ mode: () => "all" });

    test("is not made a second time, and is judged when the call is made", async () => {
      const { tool, asked } = counted();
      let mode: "all" | "none" = "none";
      const registry = createToolRegistry({ policy: createPolicy({ mode: () => mode }) });
      registry.register([tool]);
      const catalog = registry.snapshot();
      const plan = await catalog.plan(made, { agent: "ann" });
      expect(plan.verdicts).toMatchObject([{ decision: "deny" }]);
      mode = "all";
      const heard: unknown[] = [];
      const options = { agent: "ann", plan, onPermitted: (effects: unknown) => void heard.push(effects) };
      expect(await catalog.call(made, options)).toEqual({ success: true, data: 1 });
      expect(heard).toEqual([[{ action: "append", target: "a:///1" }]]);
      expect(asked()).toBe(1);
    });

    test.each<[string, number, (registry: ReturnType<typeof createToolRegistry>) => Promise<unknown>]>([
      [
        "another time",
        2,
        async (registry) => {
          const catalog = registry.snapshot();
          const plan = await catalog.plan(made);
          await catalog.call(made, { plan });
          return catalog.call(made, { plan });
        },
      ],
      [
        "for other arguments",
        2,
        async (registry) => {
          const catalog = registry.snapshot();
          return catalog.call({ ...made, arguments: { op: "erase" } }, { plan: await catalog.plan(made) });
        },
      ],
      [
        "for another agent",
        2,
        async (registry) => {
          const catalog = registry.snapshot();
          return catalog.call(made, { agent: "ben", plan: await catalog.plan(made, { agent: "ann" }) });
        },
      ],
      [
        "in another catalog",
        2,
        async (registry) => registry.snapshot().call(made, { plan: await registry.plan(made) }),
      ],
      [
        "with effects of its own making",
        1,
        async (registry) => registry.call(made, { plan: { effects: [], verdicts: [] } }),
      ],
    ])("is made anew when it is used %s", async (_, times, use) => {
      const { tool, asked } = counted();
      const registry = createToolRegistry({ policy: all });
      registry.register([tool]);
      const answer = await use(registry);
      expect(answer).toEqual({ success: true, data: asked() });
      expect(asked()).toBe(times);
    });

    test("is made anew when the tool was registered anew since", async () => {
      const { tool, asked } = counted();
      const registry = createToolRegistry({ policy: all });
      const registered = registry.register([tool]);
      const plan = await registry.plan(made);
      registered[Symbol.dispose]();
      registry.register([{ ...tool }]);
      expect(await registry.call(made, { plan })).toEqual({ success: true, data: 2 });
      expect(asked()).toBe(2);
    });

    test("does not open an operation that the catalog of the call has closed", async () => {
      const { tool } = counted();
      const registry = createToolRegistry({ policy: all });
      registry.register([tool]);
      const plan = await registry.plan(made);
      const narrow = registry.snapshot({ allowed: { count: ["erase"] } });
      expect(await narrow.call(made, { plan })).toMatchObject({ success: false, code: "permission_denied" });
    });
  });

  test("of a tool that was withdrawn is refused as stale", async () => {
    const registry = createToolRegistry();
    const registration = registry.register([write]);
    const catalog = registry.snapshot();
    registration[Symbol.dispose]();
    await expect(catalog.plan(call)).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("without anybody to ask and without a host that knows better, the hint is to ask the user", async () => {
  expect(await open().call(call)).toMatchObject({
    code: "permission_denied",
    error: expect.stringContaining("Ask the user"),
  });
});

describe("hooks", () => {
  const policy = createPolicy({ mode: () => "all" });
  const hooks = (before: CallHooks["before"], after: CallHooks["after"] = async () => {}): CallHooks => ({
    before,
    after,
  });

  test("hear of the call with its effects before, and of its answer after", async () => {
    const heard: unknown[] = [];
    const registry = open({
      policy,
      hooks: hooks(
        async (hooked) => void heard.push(hooked),
        async ({ envelope }) => void heard.push(envelope),
      ),
    });
    await registry.call(call, { agent: "ann" });
    expect(heard).toMatchObject([
      { tool: "write", agent: "ann", operation: "append", input: { to: "a:///b" }, effects: [{ target: "a:///b" }] },
      { success: true },
    ]);
  });

  test("an objection denies the call before anybody is asked, with its reason in answer and audit", async () => {
    const audited: unknown[] = [];
    const registry = open({
      hooks: hooks(async () => ({ reason: "not on Fridays" })),
      approver: async () => ({ approved: true, by: "nobody should be asked" }),
      audit: { intent: async () => {}, outcome: async (outcome) => void audited.push(outcome) },
    });
    expect(await registry.call(call)).toMatchObject({
      success: false,
      code: "permission_denied",
      error: expect.stringContaining("not on Fridays"),
    });
    expect(audited).toMatchObject([
      { verdicts: [{ decision: "deny", trace: [{ layer: "hook", reason: "not on Fridays" }] }] },
    ]);
    expect(ran).toEqual([]);
  });

  test("a hook that breaks before stops the call; one that breaks after changes nothing", async () => {
    const defects: unknown[] = [];
    const onDefect = (error: unknown): void => void defects.push(error);
    const broken = hooks(async () => {
      throw new Error("before");
    });
    expect(await open({ policy, hooks: broken, onDefect }).call(call)).toMatchObject({ code: "internal" });
    expect(ran).toEqual([]);
    const late = hooks(
      async () => undefined,
      async () => {
        throw new Error("after");
      },
    );
    expect(await open({ policy, hooks: late, onDefect }).call(call)).toMatchObject({ success: true });
    expect(defects).toHaveLength(2);
  });
});
