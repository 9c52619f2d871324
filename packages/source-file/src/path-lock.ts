import { hash } from "node:crypto";
import { linkSync, readdirSync, renameSync, statSync, unlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import { assertNotAborted } from "./abort.ts";
import { isContentionNote } from "./contention.ts";
import { isErrno } from "./file-errors.ts";
import { lockOps } from "./file-ops.ts";
import { type Owner, ownerState } from "./owner.ts";
import { newToken } from "./stray.ts";

/** Lets one save at a time have a file, within this process and among all processes of this user. */
export interface PathLock {
  /**
   * Runs `work` while nobody else has the file at `absolutePath`.
   *
   * Contract: first come, first served within the process; `unavailable` after `waitMs`, naming the holder. `work` is
   * told whether the last holder died in the middle of it.
   */
  hold<Result>(
    absolutePath: string,
    work: (interrupted: boolean) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
  /** Whether a live process, perhaps this one, has the file now. */
  isHeld(absolutePath: string): boolean;
  /** Files below `absoluteRoot` that a process was saving when it died. Its locks are given up. */
  interruptedPaths(absoluteRoot: string): readonly string[];
}

export interface PathLockOptions {
  readonly folder: string;
  readonly owner: Owner;
  /** Removes a lock that is given up. Default: the system's. */
  readonly unlink?: (path: string) => void;
  /** Told about a lock that could not be given up. Default: nobody. */
  readonly warn?: (message: string) => void;
  /** How long to wait for another process. Default 10,000. */
  readonly waitMs?: number;
}

interface Held {
  readonly owner: Owner;
  readonly path: string;
}

const WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 16;
/** A process that cannot be asked whether it lives keeps a lock for this long. */
const ELSEWHERE_MS = 60_000;

export function createPathLock(options: PathLockOptions): PathLock {
  const { folder, owner, unlink = unlinkSync, warn = () => {}, waitMs = WAIT_MS } = options;
  const queues = new Map<string, Promise<unknown>>();

  async function acquire(file: string, path: string, signal: AbortSignal | undefined): Promise<boolean> {
    const content = JSON.stringify({ owner, path } satisfies Held);
    const deadline = Date.now() + waitMs;
    let interrupted = false;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      assertNotAborted(signal);
      if (take(file, content)) return interrupted;
      const held = readLock(file);
      if (held !== undefined && isAbandoned(file, held)) {
        interrupted = breakLock(file, held) || interrupted;
        continue;
      }
      if (Date.now() > deadline) throw busy(path, held, waitMs);
      await delay(pause * (0.5 + Math.random()));
    }
  }

  async function holdNow<Result>(
    path: string,
    work: (interrupted: boolean) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const file = `${folder}/${lockName(path)}`;
    const interrupted = await acquire(file, path, signal);
    try {
      return await work(interrupted);
    } finally {
      release(file);
    }
  }

  /** Contract: never throws: the work is done, and whoever waits for a lock that stays is told who holds it. */
  function release(file: string): void {
    try {
      if (readLock(file)?.owner.pid === owner.pid) unlink(file);
    } catch (error) {
      warn(`could not give up the lock ${file}: ${String(error)}`);
    }
  }

  return {
    hold(path, work, signal) {
      const before = queues.get(path) ?? Promise.resolve();
      const result = before.then(() => holdNow(path, work, signal));
      const settled = result.then(
        () => undefined,
        () => undefined,
      );
      queues.set(path, settled);
      void settled.then(() => {
        if (queues.get(path) === settled) queues.delete(path);
      });
      return result;
    },
    isHeld(path) {
      const file = `${folder}/${lockName(path)}`;
      const held = readLock(file);
      return held !== undefined && !isAbandoned(file, held);
    },
    interruptedPaths(root) {
      const found = new Set<string>();
      for (const name of readdirSync(folder)) {
        if (isContentionNote(name)) continue;
        const file = `${folder}/${name}`;
        const held = readLock(file);
        if (held === undefined || !held.path.startsWith(`${root === "/" ? "" : root}/`)) continue;
        if (!isAbandoned(file, held) || !breakLock(file, held)) continue;
        found.add(held.path);
      }
      return [...found];
    },
  };
}

/** Puts a complete lock in place, or finds that somebody else has it. */
function take(file: string, content: string): boolean {
  const own = `${file}.${newToken()}`;
  lockOps.create(own, content);
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  } finally {
    unlinkSync(own);
  }
}

function readLock(file: string): Held | undefined {
  try {
    return JSON.parse(lockOps.read(file)) as Held;
  } catch (error) {
    if (isErrno(error, "ENOENT") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAbandoned(file: string, { owner }: Held): boolean {
  const state = ownerState(owner);
  return state === "dead" || (state === "elsewhere" && ageOf(file) > ELSEWHERE_MS);
}

/** Contract: true when the dead owner's lock is gone by our hand; a lock that was taken anew meanwhile is put back. */
function breakLock(file: string, seen: Held): boolean {
  const aside = `${file}.${newToken()}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
  const taken = readLock(aside);
  const same = JSON.stringify(taken) === JSON.stringify(seen);
  if (!same) linkBack(aside, file);
  unlinkSync(aside);
  return same;
}

function linkBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
}

function ageOf(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function lockName(path: string): string {
  return hash("sha256", path, "hex").slice(0, 32);
}

function busy(path: string, held: Held | undefined, waitMs: number): IkigaiError {
  const holder = held === undefined ? "another process" : `process ${held.owner.pid}`;
  return new IkigaiError("unavailable", `${path} has been held by ${holder} for more than ${waitMs} ms`, {
    hint: "Try again later.",
  });
}
