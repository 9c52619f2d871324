import { expect, test, vi } from "vitest";
import { z } from "zod";
import { defineTool } from "../tool/tool.ts";
import { createToolRegistry, type ToolRegistry } from "../tool/tool-registry.ts";
import { createRunningCalls } from "./running-calls.ts";

function registryThat(run: (signal: AbortSignal) => Promise<unknown>, approver?: () => Promise<never>): ToolRegistry {
  const registry = createToolRegistry(approver && { approver });
  registry.register([
    defineTool({
      name: "work",
      description: "Works.",
      input: z.object({}),
      effects: () => (approver ? [{ action: "update", target: "file:///a" }] : []),
      run: async (_, { signal }) => run(signal),
    }),
  ]);
  return registry;
}

test("a call that is under way when its registry is closed ends by itself and has its own answer", async () => {
  let finish = (): void => {};
  const registry = registryThat(() => new Promise<void>((resolve) => (finish = resolve)));
  const call = registry.call({ name: "work", arguments: {} });
  await vi.waitFor(() => expect(finish.length).toBe(1));
  const closed = registry.close();
  finish();
  expect(await call).toMatchObject({ success: true });
  await closed;
  expect(await registry.call({ name: "work", arguments: {} })).toMatchObject({ code: "unavailable" });
  expect(await registry.snapshot().call({ name: "work", arguments: {} })).toMatchObject({ code: "unavailable" });
});

test("a call that does not end is aborted when its registry is closed, whether its tool heeds the signal or not", async () => {
  vi.useFakeTimers();
  try {
    const never = new Promise<never>(() => {});
    for (const registry of [
      registryThat(() => never),
      registryThat(
        async () => {},
        () => never,
      ),
    ]) {
      const call = registry.call({ name: "work", arguments: {} });
      const closed = registry.close();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await call).toMatchObject({ code: "aborted" });
      await closed;
    }
  } finally {
    vi.useRealTimers();
  }
});

test("a call is aborted with its caller, and keeps nothing of the caller's signal", async () => {
  const calls = createRunningCalls();
  const caller = new AbortController();
  const first = calls.begin(caller.signal);
  const second = calls.begin(caller.signal);
  second?.[Symbol.dispose]();
  caller.abort(new Error("enough"));
  expect(first?.signal.reason).toEqual(new Error("enough"));
  expect(second?.signal.aborted).toBe(false);
  expect(calls.begin(caller.signal)?.signal.aborted).toBe(true);
});

test.each([[undefined], [null], ["work"], [{}], [{ name: 1 }], [{ name: "work", arguments: {}, id: 7 }]])(
  "the call %j of a caller without types is an error with a code",
  async (call) => {
    expect(await registryThat(async () => {}).call(call as never)).toMatchObject({ code: "invalid_input" });
  },
);
