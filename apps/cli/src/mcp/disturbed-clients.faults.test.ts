import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { type Interleaved, interleaveEdits } from "./testing/interleaved-edits.ts";
import { connectOverHttp, connectOverStdio } from "./testing/official-client.ts";

/** `RUNS=200 npm run test:faults -- disturbed-clients` is the long form. */
const RUNS = Number(process.env["RUNS"] ?? 6);
const EDITS = 120;
const BUSY_LOOPS = 3;
const RUN_MS = 300_000;
const LONG_STOP_MS = 2_500;

const slowSyncs = new URL("testing/slow-syncs.mjs", import.meta.url).href;

let loops: readonly ChildProcess[] = [];
beforeAll(() => {
  loops = startBusyLoops();
});
afterAll(async () => {
  for (const loop of loops) loop.kill("SIGKILL");
  await closeSharedStore();
});

test.concurrent.each(Array.from({ length: RUNS }, (_, index) => [index + 1]))(
  "run %i: beside busy loops, with slow syncs and one server stopped at random moments, no acknowledged edit is lost",
  async () => {
    const { root, store, close } = await openWorkspace();
    try {
      const { acknowledged, lost, refused } = await disturbedRun(root, store);
      expect(lost).toEqual([]);
      expect([...refused.keys()].filter((code) => code !== "conflict")).toEqual([]);
      expect(acknowledged).toBeGreaterThan(EDITS / 2);
      expect((await stat(`${root}.syncs`)).size).toBeGreaterThan(EDITS / 2);
    } finally {
      await close();
    }
  },
  RUN_MS,
);

async function disturbedRun(root: string, store: string): Promise<Interleaved> {
  const args = ["--root", root, "--store", store, "mcp"];
  const env = { NODE_OPTIONS: `--import ${slowSyncs}`, SLOW_SYNCS: `${root}.syncs` };
  const stdio = await connectOverStdio(args, { env });
  await using http = await connectOverHttp(args, env);
  const ended = new AbortController();
  const stdioPid = stdio.transport instanceof StdioClientTransport ? stdio.transport.pid : undefined;
  const disturbed = stopAndContinue(Math.random() < 0.5 ? http.pid : (stdioPid ?? http.pid), ended.signal);
  try {
    return await interleaveEdits([stdio, http.client], root, EDITS, 5);
  } finally {
    ended.abort();
    await disturbed;
    await stdio.close();
  }
}

function startBusyLoops(): readonly ChildProcess[] {
  return Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
}

/** Stops a process and lets it go on, at random moments, now and then for longer than anybody waits for a lock. Contract: it runs at the end. */
async function stopAndContinue(pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(Math.random() * 120, undefined, { signal }).catch(() => {});
    process.kill(pid, "SIGSTOP");
    const long = Math.random() < 0.05;
    await wait(long ? LONG_STOP_MS : Math.random() * 80, undefined, { signal }).catch(() => {});
    process.kill(pid, "SIGCONT");
  }
}
