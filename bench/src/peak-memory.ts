import { readFileSync, writeFileSync } from "node:fs";

/**
 * The most memory that these processes had resident since they were last forgotten, in MB, added up.
 *
 * Contract: absent where the system does not say, which is everywhere but Linux, and when a process is gone.
 */
export function peakMemory(...pids: readonly (number | null | undefined)[]): number | undefined {
  let sum = 0;
  for (const pid of pids) {
    if (pid === undefined || pid === null) return undefined;
    const kilobytes = readPeak(pid);
    if (kilobytes === undefined) return undefined;
    sum += kilobytes;
  }
  return sum / 1_024;
}

/** Lets the peak of these processes start again from what they have now, where the system can. */
export function forgetPeak(...pids: readonly (number | null | undefined)[]): void {
  for (const pid of pids) {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, "5");
    } catch {
      // The peak since the process started is then the next best.
    }
  }
}

function readPeak(pid: number): number | undefined {
  try {
    const found = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
