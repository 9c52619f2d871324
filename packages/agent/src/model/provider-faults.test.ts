import { expect, test } from "vitest";
import { openModel } from "./open-model.ts";
import { runAgainst } from "../testing/harness.ts";
import type { Fault } from "../testing/mock-provider.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const overloaded = { kind: "error_event", type: "overloaded_error", message: "Overloaded" } as const;

test.each<[string, Fault, { requests: number; waits?: number[]; code: string }]>([
  [
    "429 with seconds",
    { kind: "status", status: 429, headers: { "retry-after": "7" } },
    { requests: 4, waits: [7_000, 7_000, 7_000], code: "unavailable" },
  ],
  [
    "429 with a date",
    { kind: "status", status: 429, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" } },
    { requests: 4, waits: [30_000, 30_000, 30_000], code: "unavailable" },
  ],
  [
    "429 with a date in the past",
    { kind: "status", status: 429, headers: { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" } },
    { requests: 4, waits: [0, 0, 0], code: "unavailable" },
  ],
  [
    "429 with an absurd date",
    { kind: "status", status: 429, headers: { "retry-after": "Fri, 01 Jan 2099 00:00:00 GMT" } },
    { requests: 1, waits: [], code: "unavailable" },
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
  [
    "a stream cut in the arguments of a call",
    { kind: "cut", where: "mid_arguments" },
    { requests: 4, code: "unavailable" },
  ],
  ["a stream that reports an overload", overloaded, { requests: 4, code: "unavailable" }],
  [
    "a stream that reports a refusal",
    { ...overloaded, type: "invalid_request_error", message: "not like this" },
    { requests: 1, waits: [], code: "unavailable" },
  ],
  ["a stall", { kind: "stall" }, { requests: 4, code: "unavailable" }],
  ["a stream of nonsense", { kind: "bad_sse" }, { requests: 4, code: "unavailable" }],
  ["HTML with 200", { kind: "html" }, { requests: 4, code: "unavailable" }],
])("%s: bounded attempts, nothing run, a clear last line", async (_, fault, wanted) => {
  for (const protocol of ["openai", "anthropic"] as const) {
    const waits: number[] = [];
    const reply = { text: "some text", calls: [{ name: "note_set", input: { name: "a", text: "x".repeat(50) } }] };
    const ran = await runAgainst(() => ({ fault, reply }), "go", {
      protocol,
      // Only the stall itself may look like one, however busy the machine is.
      turn: {
        retry: {
          sleep: async (ms) => void waits.push(ms),
          random: () => 0.5,
          now: () => NOW,
          stallMs: fault.kind === "stall" ? 200 : 20_000,
        },
      },
    });
    const { outcome, provider } = ran;
    expect(outcome).toMatchObject({ status: "failed", error: { code: wanted.code } });
    expect(outcome.error?.message).toMatch(/^The /);
    expect(outcome.error?.message).not.toContain("[object");
    expect(outcome.error?.hint).toBeTruthy();
    expect(provider.count).toBe(wanted.requests);
    expect(ran.ran).toEqual([]);
    expect(waits).toEqual(wanted.waits ?? waits);
  }
});

test.each(["openai", "anthropic"] as const)(
  "characters that the network splits arrive whole over %s",
  async (protocol) => {
    const text = "ä世🌍👨‍👩‍👧".repeat(60);
    const { outcome, shown, provider } = await runAgainst(() => ({ text }), "go", { protocol });
    expect(outcome).toMatchObject({ status: "done", text });
    expect(shown).toBe(text);
    expect(provider.count).toBe(1);
  },
);

test.each(["openai", "anthropic", "local"])(
  "a server of %s that refuses the connection is said so",
  async (provider) => {
    const model = await openModel({ model: `${provider}/none`, baseUrl: "http://127.0.0.1:9/v1", apiKey: "key" });
    const { outcome, waits } = await runAgainst(() => ({ text: "never" }), "go", { turn: { model } });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "unavailable", message: expect.stringContaining("gave up after 4 attempts") },
    });
    expect(waits).toEqual([1_000, 2_000, 4_000]);
  },
);
