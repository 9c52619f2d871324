import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openTestHost, type TestHost } from "./testing/test-host.ts";
import { countSleepers, uniqueSeconds, WAYS_TO_STAY } from "./testing/sleepers.ts";

const HOST = fileURLToPath(new URL("../fixtures/host.mjs", import.meta.url));
const ways = Object.entries(WAYS_TO_STAY);

async function expectNobodyLeft(seconds: string): Promise<void> {
  await vi.waitFor(() => expect(countSleepers(seconds)).toBe(0), { timeout: 2_000, interval: 20 });
}

async function expectRunning(seconds: string, way: string): Promise<void> {
  const expected = way === "plain" ? 1 : 2;
  await vi.waitFor(() => expect(countSleepers(seconds)).toBe(expected), { timeout: 10_000, interval: 10 });
}

describe("in this process", () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await openTestHost();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  test.each(ways)("after a timeout nothing is left: %s", async (_, command) => {
    const seconds = uniqueSeconds();
    const answer = await host.call("bash", { command: `echo started; ${command(seconds)}`, timeout_ms: 500 });
    expect(answer).toMatchObject({ success: false, code: "timeout", details: { output: "started\n" } });
    await expectNobodyLeft(seconds);
  });

  test.each(ways)("after an abort nothing is left: %s", async (way, command) => {
    const seconds = uniqueSeconds();
    const caller = new AbortController();
    const answer = host.call("bash", { command: command(seconds) }, { signal: caller.signal });
    await expectRunning(seconds, way);
    caller.abort();
    expect(await answer).toMatchObject({ success: false, code: "aborted" });
    await expectNobodyLeft(seconds);
  });

  test.each(ways)("after killing a job nothing is left: %s", async (way, command) => {
    const seconds = uniqueSeconds();
    const { job } = await host.data("bash", { command: command(seconds), background: true });
    await expectRunning(seconds, way);
    expect(await host.data("bash_jobs", { op: "kill", job })).toMatchObject({ state: "ended" });
    expect(countSleepers(seconds)).toBe(0);
  });

  test("closing ends what a command left running", async () => {
    const seconds = uniqueSeconds();
    const answer = await host.data("bash", { command: `setsid sleep ${seconds} >/dev/null 2>&1 & echo done` });
    expect(answer).toMatchObject({ output: "done\n", exit_code: 0, still_running: 1 });
    await host.jobs.close();
    expect(countSleepers(seconds)).toBe(0);
  });
});

describe.each(["SIGTERM", "SIGKILL", "SIGINT"] as const)("when our process gets %s", (signal) => {
  test.each(ways)("nothing is left: %s", async (way, command) => {
    const seconds = uniqueSeconds();
    const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
    const host = spawn(process.execPath, [HOST, folder, JSON.stringify({ command: command(seconds) })], {
      env: { PATH: process.env["PATH"], TMPDIR: folder },
      stdio: "inherit",
    });
    await expectRunning(seconds, way);
    host.kill(signal);
    await expectNobodyLeft(seconds);
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), { timeout: 2_000, interval: 20 });
    rmSync(folder, { recursive: true });
  });
});

test("a background job does not keep our process alive, and ends with it", async () => {
  const seconds = uniqueSeconds();
  const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
  const host = spawn(
    process.execPath,
    [HOST, folder, JSON.stringify({ command: `sleep ${seconds}`, background: true })],
    { env: { PATH: process.env["PATH"], TMPDIR: folder }, stdio: "ignore" },
  );
  expect(await new Promise((resolve) => host.once("exit", resolve))).toBe(0);
  await expectNobodyLeft(seconds);
  rmSync(folder, { recursive: true, force: true });
});
