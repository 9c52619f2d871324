import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A process, told apart from any other that had or will have its number. */
export interface Owner {
  readonly pid: number;
  /** When it started, in the kernel's ticks; `0` where the system does not tell. */
  readonly start: string;
  /** The machine, its boot and the process namespace: where `pid` means something. */
  readonly place: string;
}

/** How sure we are that an owner can no longer act. */
export type OwnerState = "alive" | "dead" | "elsewhere";

let self: Owner | undefined;

export function currentOwner(): Owner {
  self ??= { pid: process.pid, start: statOf(process.pid)?.[1] ?? "0", place: thisPlace() };
  return self;
}

export function ownerState(owner: Owner): OwnerState {
  if (owner.place !== currentOwner().place) return "elsewhere";
  if (!exists(owner.pid)) return "dead";
  const [state, start] = statOf(owner.pid) ?? [];
  // A process that has ended keeps its number until its parent asks how it ended.
  if (state === "Z" || state === "X") return "dead";
  return (start ?? owner.start) === owner.start ? "alive" : "dead";
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The state of a process and when it started, where the system tells. */
function statOf(pid: number): readonly [state: string | undefined, start: string | undefined] | undefined {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return undefined;
  // The second field is the command in parentheses, and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[0], fields[19]];
}

function thisPlace(): string {
  const boot = readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")) ?? "";
  const namespace = readOr(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return createHash("sha256").update(`${hostname()}\n${boot}\n${namespace}`).digest("hex").slice(0, 8);
}

function readOr(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
