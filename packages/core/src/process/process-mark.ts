import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

/**
 * A number that a process and all that descend from it carry: their hard limit on file locks.
 *
 * The kernel hands limits on at every fork and exec, whatever becomes of session, parent, environment and descriptors,
 * lets anybody read them, and lets nobody without privileges raise them. This one has had no effect since Linux 2.4.
 */
export type ProcessMark = string;

/** Bits of a mark: which command, and twice which command inside that one. What is not used yet is all ones. */
const INNER_BITS = [32n, 16n, 0n];
const TOP = 1n << 29n;
const LIMIT = /^Max file locks\s+\S+\s+(\d+)/m;

const SET_AND_RUN = `ulimit -w "$0" 2>/dev/null || ulimit -x "$0" 2>/dev/null; unset PWD OLDPWD SHLVL; exec "$@"`;

/**
 * A new mark for what this process is about to start. A mark that this process carries itself stays readable in it, so
 * that whoever started this process still finds everything.
 *
 * Contract: `undefined` where there are no such marks (not Linux), and after three of them inside one another.
 */
export function newMark(own: bigint | undefined = markOf(process.pid)): ProcessMark | undefined {
  if (process.platform !== "linux") return undefined;
  if (own === undefined) return String(withOnes(TOP + BigInt(randomInt(2 ** 29 - 1)), 32n));
  const depth = INNER_BITS.findIndex((bits) => own === withOnes(own >> bits, bits));
  const inner = INNER_BITS[depth + 1];
  if (!isMark(own) || inner === undefined) return undefined;
  return String(withOnes(((own >> (inner + 16n)) << 16n) + BigInt(randomInt(2 ** 16 - 1)), inner));
}

/** How to start a program so that it carries `mark`: program and arguments. Without a mark they stay as they are. */
export function markedCommand(
  mark: ProcessMark | undefined,
  file: string,
  args: readonly string[],
): readonly [file: string, args: readonly string[]] {
  return mark === undefined ? [file, args] : ["/bin/sh", ["-c", SET_AND_RUN, mark, file, ...args]];
}

/** A test whether a process carries one of `marks`, or one inside them. It looks at a process once, however many there are. */
export function markTest(marks: readonly ProcessMark[]): (pid: number) => boolean {
  const wanted = new Set(
    marks.map((mark) => {
      const value = BigInt(mark);
      const bits = INNER_BITS.find((count) => value === withOnes(value >> count, count)) as bigint;
      return `${bits}:${value >> bits}`;
    }),
  );
  if (wanted.size === 0) return () => false;
  return (pid) => {
    const found = markOf(pid);
    return found !== undefined && INNER_BITS.some((bits) => wanted.has(`${bits}:${found >> bits}`));
  };
}

/** The number itself. Contract: `undefined` for a process without one, or which is gone. */
export function markOf(pid: number): bigint | undefined {
  try {
    const [, hard] = LIMIT.exec(readFileSync(`/proc/${pid}/limits`, "latin1")) ?? [];
    return hard === undefined ? undefined : BigInt(hard);
  } catch {
    return undefined;
  }
}

/** Whether a process was started with a mark, or descends from one that was. Contract: false where there are no marks. */
export function carriesMark(pid: number = process.pid): boolean {
  const found = markOf(pid);
  return found !== undefined && isMark(found);
}

function isMark(value: bigint): boolean {
  return value >> 61n === 1n;
}

function withOnes(value: bigint, bits: bigint): bigint {
  return (value << bits) + (1n << bits) - 1n;
}
