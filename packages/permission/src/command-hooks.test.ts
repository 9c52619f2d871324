import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { askHook, type CommandHook, hookApplies } from "./command-hooks.ts";

const hook = (script: string, timeoutMs?: number): CommandHook => ({
  command: [process.execPath, "-e", script],
  ...(timeoutMs !== undefined && { timeoutMs }),
});
const env = { PATH: process.env["PATH"] };

test("a hook reads the call and may deny it with a reason", async () => {
  const script = `let text = ""; process.stdin.on("data", (part) => (text += part)).on("end", () => {
    const { tool } = JSON.parse(text);
    console.log(JSON.stringify({ decision: "deny", reason: "not " + tool })); })`;
  expect(await askHook(hook(script), { tool: "bash" }, env)).toEqual({ decision: "deny", reason: "not bash" });
});

test("silence is no objection, also from a hook that does not read", async () => {
  expect(await askHook(hook(""), { text: "x".repeat(1_000_000) }, env)).toEqual({ decision: "allow" });
  expect(await askHook(hook('console.log(\'{"decision":"allow"}\')'), {}, env)).toEqual({ decision: "allow" });
});

test.each([
  ["fails", hook("process.exit(3)"), "ended with exit code 3"],
  [
    "fails with words",
    hook("console.error('no licence\\n  for you'); process.exit(7)"),
    "ended with exit code 7: no licence / for you",
  ],
  ["is killed", hook("process.kill(process.pid, 'SIGTERM')"), "was ended by SIGTERM"],
  [
    "cannot start",
    { command: ["/no/such/program", "--flag"] },
    "the hook /no/such/program --flag failed: /no/such/program cannot be started",
  ],
  ["babbles", hook("console.log('sure')"), 'answered "sure" instead of nothing'],
  ["fails after an answer", hook('console.log(\'{"decision":"allow"}\'); process.exit(1)'), "exit code 1"],
  ["tries to rewrite the call", hook('console.log(\'{"decision":"allow","input":{}}\')'), "instead of nothing"],
  ["floods", hook("setInterval(() => console.log('x'.repeat(100000)), 0)"), "printed more than 65536 characters"],
  ["complains without end", { command: ["/bin/sh", "-c", "yes >&2"] }, "printed more than 1048576"],
  ["works without end", hook("for (;;) console.error('x'.repeat(1000))", 2_000), "within 2000 ms"],
  ["takes too long", hook("setInterval(() => {}, 1000)", 50), "within 50 ms, and was killed"],
] as [string, CommandHook, string][])("a hook that %s denies, and the reason names it", async (_, broken, reason) => {
  const answer = await askHook(broken, {}, env);
  expect(answer).toEqual({ decision: "deny", reason: expect.stringContaining(reason) });
  expect(answer.reason).toMatch(/^the hook \S+/);
  expect(answer.reason).toContain(`the hook ${broken.command[0]}`);
});

test("a hook whose child prints without end costs bounded memory, denies at once and leaves nothing", async () => {
  const seconds = String(process.hrtime.bigint());
  const flood = `yes ${seconds} & yes ${seconds} >&2 & yes ${seconds}`;
  const before = process.memoryUsage.rss();
  const answer = await askHook({ command: ["/bin/sh", "-c", flood], timeoutMs: 60_000 }, {}, env);
  expect(answer).toEqual({
    decision: "deny",
    reason: expect.stringMatching(/^the hook \/bin\/sh -c .*printed more than/),
  });
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 ** 2);
  expect(running(seconds)).toEqual([]);
});

test.each([
  ["answers", 'echo \'{"decision":"allow"}\'', "allow"],
  ["says nothing", "true", "allow"],
  ["fails", "exit 4", "deny"],
  ["takes too long", "sleep 600", "deny"],
])("nothing that a hook started survives it, also not a daemon, when it %s", async (_, end, decision) => {
  const seconds = String(process.hrtime.bigint());
  const closed = Array.from({ length: 10 }, (__, fd) => `${fd}>&-`).join(" ");
  const script = `sleep ${seconds} & env -i setsid sh -c 'exec ${closed}; sleep ${seconds} & exit'; ${end}`;
  const answer = await askHook({ command: ["sh", "-c", script], timeoutMs: 2_000 }, {}, env);
  expect(answer).toMatchObject({ decision });
  expect(running(seconds)).toEqual([]);
});

/** Command lines of the processes that name `word`. */
function running(word: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${Number(pid)}/cmdline`, "latin1");
      return line.includes(word) ? [line] : [];
    } catch {
      return [];
    }
  });
}

test("the reason of a hook with a long command is short", async () => {
  const { reason } = await askHook({ command: ["/no/such", "x".repeat(5_000)] }, {}, env);
  expect(reason?.length).toBeLessThan(400);
});

test("a hook sees only the environment it is given", async () => {
  const script = "console.log(JSON.stringify({ decision: 'deny', reason: Object.keys(process.env).join() }))";
  const { reason } = await askHook(hook(script), {}, { ONLY: "this" });
  expect(reason).toBe("ONLY");
});

test("a hook hears of the tools it names", () => {
  expect(hookApplies(hook(""), "any")).toBe(true);
  expect(hookApplies({ ...hook(""), tools: ["bash"] }, "file_read")).toBe(false);
});
