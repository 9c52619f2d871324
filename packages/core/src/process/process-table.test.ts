import { spawn } from "node:child_process";
import { expect, test, vi } from "vitest";
import { carriesMarker, listProcesses, parsePs, processTime } from "./process-table.ts";
import { findFamily, sweep } from "./sweep.ts";

test("the process table lists this process, with its parent, group and session", () => {
  expect(listProcesses().find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
});

test("the process table is read from what ps prints", () => {
  expect(parsePs("    1     0     1 Ss\n  300     1   300 Z+\n  301   1   300 R\n\n")).toEqual([
    { pid: 1, parent: 0, group: 1 },
    { pid: 301, parent: 1, group: 300 },
  ]);
});

test("where there is no /proc, processes are told by their group and parents", () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...platform, value: "darwin" });
  try {
    expect(listProcesses()).toBeInstanceOf(Array);
    expect(carriesMarker(process.pid, "PATH")).toBe(false);
  } finally {
    Object.defineProperty(process, "platform", platform);
  }
});

test("a process that starts now is not older than the time that the process table tells", async () => {
  const now = processTime();
  const child = spawn("sleep", ["1000"]);
  const startedOf = (wanted: number | undefined): number | undefined =>
    listProcesses().find(({ pid }) => pid === wanted)?.started;
  await vi.waitFor(() => expect(startedOf(child.pid)).toBeGreaterThanOrEqual(now));
  expect(startedOf(child.pid)).toBeGreaterThanOrEqual(startedOf(process.pid) ?? Number.POSITIVE_INFINITY);
  child.kill("SIGKILL");
});

test("an orphaned process is found by its marker, and this process is never found", () => {
  expect(findFamily({ marker: "", leader: process.pid })).not.toContain(process.pid);
  expect(carriesMarker(2 ** 22 + 1, "x")).toBe(false);
});

test("a sweep finds parents before their children", async () => {
  const marker = `order-test-${process.pid}`;
  const child = spawn("sh", ["-c", "sh -c 'sleep 1000; true'; true"], {
    env: { PATH: process.env["PATH"], MARK: marker },
  });
  await vi.waitFor(() => expect(findFamily({ marker }).length).toBe(3));
  const parents = new Map(listProcesses().map(({ pid, parent }) => [pid, parent]));
  const [first, second, third] = findFamily({ marker }) as [number, number, number];
  expect([first, parents.get(second), parents.get(third)]).toEqual([child.pid, first, second]);
  await sweep({ marker });
});

test("a sweep names the processes that it could not end", async () => {
  const marker = `sweep-test-${process.pid}`;
  const child = spawn("sh", ["-c", "trap '' TERM; while :; do sleep 0.1; done"], {
    env: { PATH: process.env["PATH"], MARK: marker },
  });
  await vi.waitFor(() => expect(findFamily({ marker })).toContain(child.pid));
  expect(await sweep({ marker }, { graceMs: 50, withinMs: 50 })).toContain(child.pid);
  expect(await sweep({ marker })).toEqual([]);
});
