import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { systemProgram } from "./find-program.ts";

/** One running process of this machine. Zombies are not listed: they run nothing. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Absent where the system does not tell. */
  readonly session?: number;
  /** When it started, as {@link processTime} counts. Absent where the system does not tell. */
  readonly started?: number;
}

/** Ticks of the kernel's clock in a second, as it tells them to programs. */
const TICKS = 100;

/** What time it is now, as the system counts when processes start. Contract: a little early rather than late; 0 elsewhere. */
export function processTime(): number {
  const uptime = tryRead(() => readFileSync("/proc/uptime", "latin1"));
  return uptime === undefined ? 0 : Math.floor((Number.parseFloat(uptime) - 1) * TICKS);
}

/** Every process that runs now. */
export function listProcesses(): readonly ProcessInfo[] {
  return process.platform === "linux" ? listProc() : parsePs(psOutput());
}

/**
 * Whether a process carries `marker`: in the environment it was started with, or in the name of what is open as its
 * output or as descriptor 3. Each survives where another is lost, as when the environment was emptied.
 */
export function carriesMarker(pid: number, marker: string): boolean {
  if (process.platform !== "linux") return false;
  if (tryRead(() => readFileSync(`/proc/${pid}/environ`, "latin1"))?.includes(marker) === true) return true;
  return [1, 2, 3].some((fd) => tryRead(() => readlinkSync(`/proc/${pid}/fd/${fd}`))?.includes(marker));
}

/** Reads the columns pid, ppid, pgid and stat as `ps` prints them. */
export function parsePs(output: string): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const line of output.split("\n")) {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (group === undefined || state?.startsWith("Z") === true) continue;
    found.push({ pid: Number(pid), parent: Number(parent), group: Number(group) });
  }
  return found;
}

function psOutput(): string {
  const args = ["-A", "-o", "pid=,ppid=,pgid=,stat="];
  return spawnSync(systemProgram("ps"), args, { env: {} }).output?.[1]?.toString() ?? "";
}

function listProc(): readonly ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
    // The name in parentheses may itself contain spaces and parentheses.
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields === undefined || fields[0] === "Z" || fields[0] === "X") continue;
    const [parent, group, session] = fields.slice(1, 4).map(Number) as [number, number, number];
    found.push({ pid, parent, group, session, started: Number(fields[19]) });
  }
  return found;
}

/** A process may end between any two looks at it, and others belong to somebody else. */
function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
