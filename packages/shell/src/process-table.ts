import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { systemProgram } from "@ikigai/core/process";

/** One running process of this machine. Zombies are not listed: they run nothing. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Absent where the system does not tell. */
  readonly session?: number;
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
    found.push({ pid, parent: Number(fields[1]), group: Number(fields[2]), session: Number(fields[3]) });
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
