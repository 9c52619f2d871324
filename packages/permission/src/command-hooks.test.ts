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
  ["fails", hook("process.exit(3)"), "ended with code 3"],
  ["is killed", hook("process.kill(process.pid, 'SIGTERM')"), "ended with code none"],
  ["cannot start", { command: ["/no/such/program"] }, "ENOENT"],
  ["babbles", hook("console.log('sure')"), "failed"],
  ["tries to rewrite the call", hook('console.log(\'{"decision":"allow","input":{}}\')'), "failed"],
  ["floods", hook("setInterval(() => console.log('x'.repeat(100000)), 0)"), "ended with code none"],
  ["takes too long", hook("setInterval(() => {}, 1000)", 50), "within 50 ms"],
] as [string, CommandHook, string][])("a hook that %s denies", async (_, broken, reason) => {
  expect(await askHook(broken, {}, env)).toEqual({ decision: "deny", reason: expect.stringContaining(reason) });
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
