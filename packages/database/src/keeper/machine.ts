import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemProgram } from "@ikigai/core/process";

/** Where a process runs, as far as it decides whether others can see it. */
export interface Machine {
  readonly host: string;
  /** Of the running kernel; empty where it cannot be told. Containers of one machine share it. */
  readonly boot: string;
  /** Processes of one space see each other's ids; empty where there is only one. */
  readonly processSpace: string;
}

export function thisMachine(): Machine {
  return {
    host: `${hostname()}/${readText("/etc/machine-id")}`,
    boot: readText("/proc/sys/kernel/random/boot_id"),
    processSpace: readProcessSpace(),
  };
}

/** When the process `pid` began, in the system's own words; absent when there is no such process. */
export function processStart(pid: number): string | undefined {
  if (process.platform === "linux") {
    const stat = readText(`/proc/${pid}/stat`);
    // The command's name stands in brackets and may contain anything; the start time is the 20th word behind it.
    return stat === "" ? undefined : stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  }
  try {
    const args = ["-o", "lstart=", "-p", String(pid)];
    const started = execFileSync(systemProgram("ps"), args, { encoding: "utf8", env: { LC_ALL: "C" } }).trim();
    return started === "" ? undefined : started;
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function readProcessSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
