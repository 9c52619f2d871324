import { readFileSync } from "node:fs";

/**
 * The most memory that these processes had resident so far, in MB, added up.
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

function readPeak(pid: number): number | undefined {
  try {
    const found = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
