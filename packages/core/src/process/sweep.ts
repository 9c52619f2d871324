import { setTimeout as delay } from "node:timers/promises";
import { markTest, type ProcessMark } from "./process-mark.ts";
import { carriesMarker, listProcesses, type ProcessInfo } from "./process-table.ts";

/** What tells the processes of one command, or of a whole host, from all others. Whoever fits one of these belongs. */
export interface Family {
  /** Found in the environment, or in the name of what is open as output or as descriptor 3. */
  readonly marker?: string;
  /** Inherited by every process of a command, whatever it does to become a daemon. */
  readonly marks?: readonly ProcessMark[];
  /** The command's shell, which leads its own session. Only while it runs or has just ended: numbers are reused. */
  readonly leader?: number;
  /** When the first of them started at the earliest, as `processTime` counts. Older ones are not looked at. */
  readonly since?: number;
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
 * The processes of a family that run now: those with one of its marks or its marker, those in its leader's session or
 * group, and whatever descends from them, parents first. Never this process.
 */
export function findFamily({ marker, marks = [], leader, since = 0 }: Family): readonly number[] {
  const table = listProcesses();
  const isMarked = markTest(marks);
  const found = new Set<number>();
  for (const { pid, group, session, started = since } of table) {
    const led = leader !== undefined && (pid === leader || group === leader || session === leader);
    if (pid === process.pid || started < since) continue;
    if (led || isMarked(pid) || (marker !== undefined && carriesMarker(pid, marker))) found.add(pid);
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
  let left = findFamily(family);
  let empty = left.length === 0 ? 1 : 0;
  signalAll(left, "SIGTERM");
  while (left.length > 0 && performance.now() - started < graceMs) {
    await delay(POLL_MS);
    left = findFamily(family);
  }
  while (empty < 2 && performance.now() - started < withinMs) {
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
      // A process that cannot be signalled ended by itself, or belongs to another user and is reported as left.
    }
  }
}
