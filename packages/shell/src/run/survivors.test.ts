import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { countSleepers, daemon, uniqueSeconds, WAYS_TO_STAY } from "../testing/sleepers.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

const HOST = fileURLToPath(new URL("../../fixtures/host.mjs", import.meta.url));

let host: TestHost;
beforeAll(async () => {
  host = await openTestHost();
});
afterAll(() => host[Symbol.asyncDispose]());

/** One command for each way to stay, told apart by how long it sleeps. */
interface Attempt {
  readonly way: string;
  readonly seconds: string;
  readonly command: string;
}

function attempts(): readonly Attempt[] {
  return Object.entries(WAYS_TO_STAY).map(([way, command]) => {
    const seconds = uniqueSeconds();
    return { way, seconds, command: `echo started; ${command(seconds)}` };
  });
}

const countAll = (all: readonly Attempt[]): Record<string, number> =>
  Object.fromEntries(all.map(({ way, seconds }) => [way, countSleepers(seconds)]));

async function expectAllRunning(all: readonly Attempt[]): Promise<void> {
  const expected = Object.fromEntries(all.map(({ way }) => [way, way === "plain" ? 1 : 2]));
  await vi.waitFor(() => expect(countAll(all)).toEqual(expected), { timeout: 15_000, interval: 20 });
}

async function expectNobodyLeft(all: readonly Attempt[]): Promise<void> {
  const nobody = Object.fromEntries(all.map(({ way }) => [way, 0]));
  await vi.waitFor(() => expect(countAll(all)).toEqual(nobody), { timeout: 2_000, interval: 20 });
}

test("after a timeout nothing is left, in whatever way it was started", async () => {
  const all = attempts();
  const answers = await Promise.all(all.map(({ command }) => host.call("bash", { command, timeout_ms: 1_500 })));
  for (const answer of answers) {
    expect(answer).toMatchObject({ success: false, code: "timeout", details: { output: "started\n" } });
  }
  await expectNobodyLeft(all);
});

test("after an abort nothing is left, in whatever way it was started", async () => {
  const all = attempts();
  const caller = new AbortController();
  const answers = all.map(({ command }) => host.call("bash", { command }, { signal: caller.signal }));
  await expectAllRunning(all);
  caller.abort();
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ success: false, code: "aborted" });
  await expectNobodyLeft(all);
});

test("after killing a job nothing is left, in whatever way it was started", async () => {
  const all = attempts();
  const jobs = await Promise.all(all.map(({ command }) => host.data("bash", { command, background: true })));
  await expectAllRunning(all);
  for (const { job } of jobs) {
    expect(await host.data("bash_jobs", { op: "kill", job })).toMatchObject({ state: "ended" });
  }
  await expectNobodyLeft(all);
});

test("killing one job leaves the others alone", async () => {
  const [first, second] = attempts().slice(-2) as [Attempt, Attempt];
  const { job } = await host.data("bash", { command: first.command, background: true });
  const other = await host.data("bash", { command: second.command, background: true });
  await expectAllRunning([first, second]);
  await host.data("bash_jobs", { op: "kill", job });
  expect(countAll([first, second])).toEqual({ [first.way]: 0, [second.way]: 2 });
  await host.data("bash_jobs", { op: "kill", job: other["job"] });
});

test("closing ends what a command left running", async () => {
  await using closing = await openTestHost();
  const seconds = uniqueSeconds();
  const answer = await closing.data("bash", { command: `setsid sleep ${seconds} >/dev/null 2>&1 & echo done` });
  expect(answer).toMatchObject({ output: "done\n", exit_code: 0, still_running: 1 });
  await closing.jobs.close();
  expect(countSleepers(seconds)).toBe(0);
});

test("a daemon that kept nothing of its command is told of, and ended with its job", async () => {
  const seconds = uniqueSeconds();
  const answer = await host.data("bash", { command: `${daemon(seconds)}; echo done` });
  expect(answer).toMatchObject({ output: "done\n", exit_code: 0, still_running: 1 });
  await vi.waitFor(() => expect(countSleepers(seconds)).toBe(1));
  await host.data("bash_jobs", { op: "kill", job: answer["job"] });
  expect(countSleepers(seconds)).toBe(0);
});

test("a command inside a command is ended with the outer one", async () => {
  const [outer, inner] = [uniqueSeconds(), uniqueSeconds()];
  const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
  const call = JSON.stringify({ command: `${daemon(inner)}; sleep ${outer}` });
  const command = `env -i PATH=$PATH TMPDIR=${folder} setsid ${process.execPath} ${HOST} ${folder} '${call.replaceAll("'", "'\\''")}'`;
  const { job } = await host.data("bash", { command, background: true });
  await vi.waitFor(() => expect([outer, inner].map(countSleepers)).toEqual([1, 1]), { timeout: 15_000 });
  await host.data("bash_jobs", { op: "kill", job });
  expect([outer, inner].map(countSleepers)).toEqual([0, 0]);
  rmSync(folder, { recursive: true, force: true });
});

test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("when our process gets %s nothing is left", async (signal) => {
  const all = attempts();
  const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
  const calls = all.map(({ command }) => JSON.stringify({ command }));
  const child = spawn(process.execPath, [HOST, folder, ...calls], {
    env: { PATH: process.env["PATH"], TMPDIR: folder },
    stdio: "inherit",
  });
  await expectAllRunning(all);
  child.kill(signal);
  await expectNobodyLeft(all);
  await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), { timeout: 2_000, interval: 20 });
  rmSync(folder, { recursive: true });
});

test("a background job does not keep our process alive, and ends with it", async () => {
  const seconds = uniqueSeconds();
  const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
  const call = JSON.stringify({ command: `sleep ${seconds}`, background: true });
  const child = spawn(process.execPath, [HOST, folder, call], {
    env: { PATH: process.env["PATH"], TMPDIR: folder },
    stdio: "ignore",
  });
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
  await vi.waitFor(() => expect(countSleepers(seconds)).toBe(0), { timeout: 2_000, interval: 20 });
  rmSync(folder, { recursive: true, force: true });
});
