import { expect, test } from "vitest";
import { runAgainst } from "./testing/harness.ts";
import type { Fault } from "./testing/mock-provider.ts";

const far = new Date(Date.now() + 30_000).toUTCString();

test.each<[string, Fault, { requests: number; waits?: number[]; code: string }]>([
  [
    "429 with seconds",
    { kind: "status", status: 429, headers: { "retry-after": "7" } },
    { requests: 4, waits: [7_000, 7_000, 7_000], code: "unavailable" },
  ],
  [
    "429 with an absurd wait",
    { kind: "status", status: 429, headers: { "retry-after": "86400" } },
    { requests: 1, waits: [], code: "unavailable" },
  ],
  [
    "429 with nonsense",
    { kind: "status", status: 429, headers: { "retry-after": "soon" } },
    { requests: 4, waits: [1_000, 2_000, 4_000], code: "unavailable" },
  ],
  [
    "429 without a wait",
    { kind: "status", status: 429 },
    { requests: 4, waits: [1_000, 2_000, 4_000], code: "unavailable" },
  ],
  ["500", { kind: "status", status: 500 }, { requests: 4, code: "unavailable" }],
  ["529", { kind: "status", status: 529 }, { requests: 4, code: "unavailable" }],
  ["401", { kind: "status", status: 401 }, { requests: 1, waits: [], code: "permission_denied" }],
  ["404", { kind: "status", status: 404 }, { requests: 1, waits: [], code: "not_found" }],
  ["413", { kind: "status", status: 413 }, { requests: 4, waits: [], code: "over_budget" }],
  [
    "an overflow",
    { kind: "status", status: 400, message: "maximum context length is 8192 tokens" },
    { requests: 4, waits: [], code: "over_budget" },
  ],
  ["400", { kind: "status", status: 400, message: "bad field" }, { requests: 1, waits: [], code: "unavailable" }],
  [
    "a connection cut before the headers",
    { kind: "cut", where: "before_headers" },
    { requests: 4, code: "unavailable" },
  ],
  ["a stream cut in the text", { kind: "cut", where: "mid_text" }, { requests: 4, code: "unavailable" }],
  ["a stall", { kind: "stall" }, { requests: 4, code: "unavailable" }],
  ["a stream of nonsense", { kind: "bad_sse" }, { requests: 4, code: "unavailable" }],
  ["HTML with 200", { kind: "html" }, { requests: 4, code: "unavailable" }],
])("%s: bounded attempts, nothing run, a clear last line", async (_, fault, wanted) => {
  for (const protocol of ["openai", "anthropic"] as const) {
    const waits: number[] = [];
    const ran = await runAgainst(() => ({ fault, reply: { text: "some text" } }), "go", {
      protocol,
      // Only the stall itself may look like one, however busy the machine is.
      turn: {
        retry: {
          sleep: async (ms) => void waits.push(ms),
          random: () => 0.5,
          stallMs: fault.kind === "stall" ? 200 : 20_000,
        },
      },
    });
    const { outcome, provider } = ran;
    expect(outcome).toMatchObject({ status: "failed", error: { code: wanted.code } });
    expect(outcome.error?.message).toMatch(/^The /);
    expect(outcome.error?.hint).toBeTruthy();
    expect(provider.count).toBe(wanted.requests);
    expect(ran.ran).toEqual([]);
    expect(waits).toEqual(wanted.waits ?? waits);
  }
});

test("429 with a date waits until then", async () => {
  const { waits: waited, outcome } = await runAgainst(
    (_, count) =>
      count === 0 ? { fault: { kind: "status", status: 429, headers: { "retry-after": far } } } : { text: "ok" },
    "go",
  );
  expect(outcome.text).toBe("ok");
  expect(waited[0]).toBeGreaterThan(20_000);
  expect(waited[0]).toBeLessThanOrEqual(30_000);
});

test("a server that cannot be reached is said so", async () => {
  const { openModel } = await import("./open-model.ts");
  const model = await openModel({ model: "local/none", baseUrl: "http://127.0.0.1:9/v1" });
  const { outcome } = await runAgainst(() => ({ text: "never" }), "go", { turn: { model } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "unavailable" } });
});
