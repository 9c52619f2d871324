import { setTimeout as delay } from "node:timers/promises";
import { carriesMarker, listProcesses, type ProcessInfo } from "./process-table.ts";

/** What tells the processes of one command, or of a whole host, from all others. */
export interface Family {
  readonly marker: string;
  /** The command's shell, which leads its own session. Only while it runs or has just ended: numbers are reused. */
  readonly leader?: number;
}

export interface SweepOptions {
  /** Milliseconds between asking to end and killing. Default 200. */
  readonly graceMs?: number;
  /** Milliseconds after which it gives up. Default 5,000. */
  readonly withinMs?: number;
}

const GRACE_MS = 200;
const WITHIN_MS = 5_000;
const POLL_MS = 15;

/**
 * The processes of a family that run now: those with its marker, those in its leader's session or group, and whatever
 * descends from them, parents first. Never this process.
 */
export function findFamily({ marker, leader }: Family): readonly number[] {
  const table = listProcesses();
  const found = new Set<number>();
  for (const { pid, group, session } of table) {
    const led = leader !== undefined && (pid === leader || group === leader || session === leader);
    if (pid !== process.pid && (led || carriesMarker(pid, marker))) found.add(pid);
  }
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of table) if (found.has(parent) && pid !== process.pid) found.add(pid);
  }
  return parentsFirst(table.filter(({ pid }) => found.has(pid)));
}

/** A shell that outlives its child goes on with the next command, so it must hear first. */
function parentsFirst(family: readonly ProcessInfo[]): readonly number[] {
  const waiting = new Set(family.map(({ pid }) => pid));
  const ordered: number[] = [];
  while (waiting.size > 0) {
    const next = family.filter(({ pid, parent }) => waiting.has(pid) && !waiting.has(parent)).map(({ pid }) => pid);
    // The table is not read in one moment: with numbers reused meanwhile, parents may seem to go in a circle.
    const taken = next.length > 0 ? next : [...waiting];
    for (const pid of taken) waiting.delete(pid);
    ordered.push(...taken);
  }
  return ordered;
}

/**
 * Ends every process of a family: asks first, then kills until none is left.
 *
 * Contract: resolves to the processes that could not be ended, normally none. One empty look is not enough, since a
 * process may fork while the table is being read.
 */
export async function sweep(family: Family, options: SweepOptions = {}): Promise<readonly number[]> {
  const started = performance.now();
  const { graceMs = GRACE_MS, withinMs = WITHIN_MS } = options;
  signalAll(findFamily(family), "SIGTERM");
  let left = findFamily(family);
  while (left.length > 0 && performance.now() - started < graceMs) {
    await delay(POLL_MS);
    left = findFamily(family);
  }
  for (let empty = 0; empty < 2 && performance.now() - started < withinMs;) {
    left = findFamily(family);
    empty = left.length === 0 ? empty + 1 : 0;
    signalAll(left, "SIGKILL");
    await delay(empty === 0 ? POLL_MS : 1);
  }
  return left;
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself, or belongs to another user and is reported as left.
    }
  }
}
