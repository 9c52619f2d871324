import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StreamEvent } from "@ikigai/core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { jobEvents } from "./job-events.ts";
import { createJobLog } from "./job-log.ts";
import { countSleepers, uniqueSeconds } from "../testing/sleepers.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

let host: TestHost;
beforeEach(async () => {
  host = await openTestHost();
});
afterEach(() => host[Symbol.asyncDispose]());

const stateOf = async (job: unknown): Promise<unknown> =>
  (await host.data("bash_jobs", { op: "output", job, limit: 1 }))["state"];

test("a background job answers at once, and its output can be read in parts", async () => {
  const { job, output } = await host.data("bash", {
    command: "echo hello; printf 'w\\303\\266rld'; exit 4",
    background: true,
  });
  expect(output).toBe("");
  await vi.waitFor(async () => expect(await stateOf(job)).toBe("ended"));
  expect(await host.data("bash_jobs", { op: "output", job })).toMatchObject({
    output: "hello\nwörld",
    exit_code: 4,
    total_bytes: 12,
  });
  expect(await host.data("bash_jobs", { op: "output", job, offset: 2, limit: 6 })).toMatchObject({
    output: "llo\nw",
    offset: 2,
    next_offset: 8,
  });
  expect(await host.data("bash_jobs", { op: "list" })).toMatchObject({ jobs: [{ job, state: "ended", exit_code: 4 }] });
});

test("a long output is read from where it is kept", async () => {
  const { job } = await host.data("bash", { command: "seq 1 100000", background: true });
  await vi.waitFor(async () => expect(await stateOf(job)).toBe("ended"));
  expect(await host.data("bash_jobs", { op: "output", job, limit: 13 })).toMatchObject({ output: "99999\n100000\n" });
  expect(await host.data("bash_jobs", { op: "output", job, offset: 300_000, limit: 12 })).toMatchObject({
    offset: 300_000,
  });
  expect(await host.data("bash_jobs", { op: "output", job, offset: 10_000_000 })).toMatchObject({ output: "" });
});

test("an agent sees only its own jobs", async () => {
  const { job } = await host.data("bash", { command: "true", background: true }, { agent: "one" });
  expect(await host.data("bash_jobs", { op: "list" }, { agent: "two" })).toEqual({ jobs: [] });
  expect(await host.call("bash_jobs", { op: "kill", job }, { agent: "two" })).toMatchObject({ code: "not_found" });
  expect(await host.call("bash_jobs", { op: "output", job }, { agent: "two" })).toMatchObject({ code: "not_found" });
  expect(await host.call("bash_jobs", { op: "output" })).toMatchObject({ code: "invalid_input" });
});

test("only so many ended jobs are remembered", async () => {
  await using small = await openTestHost({ jobs: { keepFinished: 2 } });
  for (let round = 0; round < 4; round++) {
    const { job } = await small.data("bash", { command: "true", background: true });
    await small.jobs.get(job as string, "default").exited;
  }
  expect((await small.data("bash_jobs", { op: "list" }))["jobs"]).toMatchObject([{ job: "job-3" }, { job: "job-4" }]);
});

test("a process that a command left running is a job until it ends", async () => {
  const { job, still_running } = await host.data("bash", {
    command: "(while [ ! -e go ]; do sleep 0.05; done; echo late) & echo now",
  });
  expect(still_running).toBeGreaterThan(0);
  expect(await stateOf(job)).toBe("running");
  await host.data("bash", { command: "touch go" });
  await vi.waitFor(async () => expect(await stateOf(job)).toBe("ended"), { timeout: 5_000 });
  expect(await host.data("bash_jobs", { op: "output", job })).toMatchObject({ output: "now\nlate\n" });
});

test("jobs report their output and end as a stream that replays", async () => {
  await host.sources.mount({ mount: "jobs", source: jobEvents(host.jobs) });
  const heard: string[] = [];
  using _ = host.sources.onEvent(({ event }) => heard.push(event.text));
  const { job } = await host.data("bash", { command: "echo one; exit 2", background: true });
  await vi.waitFor(() =>
    expect(heard).toEqual(["job-1 started: echo one; exit 2", "job-1: one\n", "job-1 ended with exit code 2"]),
  );
  host.sources.pause("jobs");
  await host.data("bash", { command: "echo two", background: true });
  await vi.waitFor(async () => expect(await stateOf("job-2")).toBe("ended"));
  expect(heard.length).toBe(3);
  host.sources.resume("jobs");
  await vi.waitFor(() => expect(heard.slice(4)).toEqual(["job-2: two\n", "job-2 ended with exit code 0"]));
  expect(host.sources.pull("jobs").events.at(-1)?.data).toEqual({
    job: "job-2",
    agent: "default",
    kind: "exit",
    text: "job-2 ended with exit code 0",
    exitCode: 0,
  });
  expect(host.sources.status("jobs")[0]?.guidance).toContain('"jobs"');
  expect(job).toBe("job-1");
});

test("a reader that is too far behind hears how much it missed", async () => {
  const log = createJobLog(3);
  for (let index = 1; index <= 5; index++) log.add({ job: "j", agent: "a", kind: "output", text: String(index) });
  const stream = await jobEvents({ log }).open({}, {} as never);
  const stop = new AbortController();
  const read = async (after: string | undefined, count: number): Promise<StreamEvent[]> => {
    const events: StreamEvent[] = [];
    for await (const event of stream.events({ signal: stop.signal, ...(after !== undefined && { after }) })) {
      events.push(event);
      if (events.length === count) break;
    }
    return events;
  };
  expect((await read("1", 4)).map(({ text }) => text)).toEqual([
    "1 earlier events are no longer kept",
    "j: 3",
    "j: 4",
    "j: 5",
  ]);
  expect((await read("2", 1))[0]).toMatchObject({ cursor: "3", text: "j: 3" });
  const waiting = read("5", 1);
  log.add({ job: "j", agent: "a", kind: "output", text: "6" });
  expect((await waiting)[0]).toMatchObject({ cursor: "6" });
  const aborted = read("6", 1);
  stop.abort();
  expect(await aborted).toEqual([]);
  expect(await read("3", 1)).toEqual([]);
  log.close();
});

test("a closed log ends its streams", async () => {
  const log = createJobLog();
  const stream = await jobEvents({ log }).open({}, {} as never);
  const reading = (async () => {
    let count = 0;
    for await (const _ of stream.events({ signal: new AbortController().signal })) count++;
    return count;
  })();
  log.add({ job: "j", agent: "a", kind: "output", text: "x" });
  log.close();
  expect(await reading).toBe(1);
  await log.next(new AbortController().signal);
});

function findWatchdogs(): readonly number[] {
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
    .split(" ")
    .filter((pid) => pid !== "")
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "ikigai-watchdog\n");
}

test("a watchdog that was killed is replaced", async () => {
  const seconds = uniqueSeconds();
  await host.data("bash", { command: `sleep ${seconds}`, background: true });
  await vi.waitFor(() => expect(findWatchdogs().length).toBe(1));
  const [first] = findWatchdogs();
  process.kill(first as number, "SIGTERM");
  process.kill(first as number, "SIGKILL");
  await vi.waitFor(() => {
    expect(findWatchdogs().length).toBe(1);
    expect(findWatchdogs()).not.toEqual([first]);
  });
  await host.jobs.close();
  expect(countSleepers(seconds)).toBe(0);
});

test("a host inside a command of another ends with it", async () => {
  const seconds = uniqueSeconds();
  const folder = mkdtempSync(join(tmpdir(), "shell-test-"));
  const inner = fileURLToPath(new URL("../../fixtures/host.mjs", import.meta.url));
  const call = JSON.stringify({
    command: `env -i setsid sleep ${seconds} & setsid sleep ${seconds} & sleep ${seconds}`,
  });
  const { job } = await host.data("bash", {
    command: `${process.execPath} ${inner} ${folder} '${call}'`,
    background: true,
  });
  await vi.waitFor(() => expect(countSleepers(seconds)).toBe(3), { timeout: 10_000 });
  await host.data("bash_jobs", { op: "kill", job });
  await vi.waitFor(() => expect(countSleepers(seconds)).toBe(0), { timeout: 2_000 });
  rmSync(folder, { recursive: true, force: true });
});
