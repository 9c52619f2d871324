import { hash } from "node:crypto";
import { linkSync, readdirSync, renameSync, statSync, unlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import { assertNotAborted } from "../abort.ts";
import { isErrno } from "../file-errors.ts";
import { lockOps } from "../file-ops.ts";
import { type Owner, ownerState } from "./owner.ts";
import { newToken } from "../save/temp-file.ts";

/** Lets one save at a time have a file, within this process and among all processes of this user. */
export interface PathLock {
  /**
   * Takes the file at `absolutePath`, so that nobody else has it until the result is disposed.
   *
   * Contract: first come, first served within the process; `unavailable` after `waitMs`, naming the holder.
   */
  enter(absolutePath: string, signal?: AbortSignal): Promise<HeldPath>;
  /** Whether a process, perhaps this one, has the file now, or died while it had it. */
  isLocked(absolutePath: string): boolean;
  /** Files below `absoluteRoot` that a process was saving when it died. They stay locked until somebody holds them. */
  interruptedPaths(absoluteRoot: string): readonly string[];
}

/** A file that is taken. */
export interface HeldPath extends Disposable {
  /** Whether the last holder died while it had the file. Contract: between its death and now nobody else had it. */
  readonly interrupted: boolean;
}

export interface PathLockOptions {
  readonly folder: string;
  readonly owner: Owner;
  /** Removes a lock that is given up. Default: the system's. */
  readonly unlink?: (path: string) => void;
  /** Receives a warning about a lock that could not be given up. Default: it is dropped. */
  readonly warn?: (message: string) => void;
  /** How long to wait for another process. Default 10,000. */
  readonly waitMs?: number;
}

/** What a lock says. */
export interface Held {
  readonly owner: Owner;
  readonly path: string;
  /** Random token that tells this lock from every other lock the file ever has. */
  readonly token: string;
}

const WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 16;
/** A process that cannot be asked whether it lives keeps a lock for this long. */
const ELSEWHERE_MS = 60_000;
/** The lock itself. */
const LOCK_NAME = /^[0-9a-f]{32}$/;
/** A lock's second name, `LOCK.TOKEN`, or `LOCK.TOKEN~PID-START-PLACE` while that process takes it over. */
const SECOND_NAME = /^([0-9a-f]{32})\.([0-9a-f]{12})(?:~(\d+)-(\d+)-([0-9a-f]{8}))?$/;

/**
 * Locks are files in one folder. Each has a second name that carries its token; whoever wants to take over the lock of a
 * dead process renames that second name first. Only one can, and never by mistake the one of a live process, so exactly
 * one replaces the dead lock by its own, in one step: in between the file is never free.
 */
export function createPathLock(options: PathLockOptions): PathLock {
  const { folder, owner, unlink = unlinkSync, warn = () => {}, waitMs = WAIT_MS } = options;
  const queues = new Map<string, Promise<void>>();
  const lockOf = (path: string): string => `${folder}/${hash("sha256", path, "hex").slice(0, 32)}`;

  async function acquire(lock: string, held: Held, signal: AbortSignal | undefined): Promise<boolean> {
    const deadline = Date.now() + waitMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      assertNotAborted(signal);
      if (linkUnlessTaken(secondName(lock, held.token), lock)) return false;
      const other = readLock(lock);
      if (other !== undefined && isAbandoned(lock, other) && takeOver(lock, other, held)) return true;
      if (Date.now() > deadline) throw busy(held.path, other, waitMs);
      await delay(pause * (0.5 + Math.random()));
    }
  }

  /** Makes the lock file of `path`. Contract: when it cannot be had, nothing of ours is left. */
  async function take(path: string, signal: AbortSignal | undefined): Promise<HeldPath> {
    assertNotAborted(signal);
    const lock = lockOf(path);
    const held: Held = { owner, path, token: newToken() };
    lockOps.create(secondName(lock, held.token), JSON.stringify(held));
    try {
      const interrupted = await acquire(lock, held, signal);
      return { interrupted, [Symbol.dispose]: () => release(lock, held) };
    } catch (error) {
      unlinkIfThere(secondName(lock, held.token));
      throw error;
    }
  }

  /** Contract: never throws: the work is done, and whoever waits for a lock that stays is told who holds it. */
  function release(lock: string, { token }: Held): void {
    try {
      if (readLock(lock)?.token === token) unlink(lock);
      unlink(secondName(lock, token));
    } catch (error) {
      warn(`could not give up the lock ${lock}: ${String(error)}`);
    }
  }

  return {
    async enter(path, signal) {
      const before = queues.get(path);
      let leave = (): void => {};
      const left = new Promise<void>((resolve) => (leave = resolve));
      queues.set(path, left);
      const end = (): void => {
        if (queues.get(path) === left) queues.delete(path);
        leave();
      };
      await before;
      try {
        const held = await take(path, signal);
        const dispose = (): void => {
          held[Symbol.dispose]();
          end();
        };
        return { interrupted: held.interrupted, [Symbol.dispose]: dispose };
      } catch (error) {
        end();
        throw error;
      }
    },
    isLocked: (path) => readLock(lockOf(path)) !== undefined,
    interruptedPaths(root) {
      const found = new Set<string>();
      for (const name of readdirSync(folder)) {
        const file = `${folder}/${name}`;
        if (SECOND_NAME.test(name)) removeLeftover(folder, name);
        if (!isLockName(name)) continue;
        const held = readLock(file);
        if (held === undefined || !held.path.startsWith(`${root === "/" ? "" : root}/`)) continue;
        if (isAbandoned(file, held)) found.add(held.path);
      }
      return [...found];
    },
  };
}

/**
 * Puts the lock `ours` in place of the one that a dead process left.
 *
 * Contract: true for one process only, even when several try and some of them die over it.
 */
function takeOver(lock: string, dead: Held, ours: Held): boolean {
  const { pid, start, place } = ours.owner;
  const claim = `${secondName(lock, dead.token)}~${pid}-${start}-${place}`;
  if (!claimableNames(lock, dead.token).some((name) => renameIfThere(name, claim))) return false;
  const next = `${lock}.${newToken()}`;
  linkSync(secondName(lock, ours.token), next);
  renameSync(next, lock);
  unlinkSync(claim);
  return true;
}

/** The second name of a dead lock: as it was made, or as somebody left it who died while taking the lock over. */
function claimableNames(lock: string, token: string): string[] {
  const folder = lock.slice(0, lock.lastIndexOf("/"));
  const plain = secondName(lock, token);
  const claims = readdirSync(folder).filter((name) => `${folder}/${name}`.startsWith(`${plain}~`));
  const abandoned = claims.map((name) => `${folder}/${name}`).filter((path) => isClaimAbandoned(path));
  return [plain, ...abandoned];
}

function isClaimAbandoned(path: string): boolean {
  const [, , , pid = "", start = "", place = ""] = SECOND_NAME.exec(path.slice(path.lastIndexOf("/") + 1)) ?? [];
  const state = ownerState({ pid: Number(pid), start, place });
  return state === "dead" || (state === "elsewhere" && ageOf(path) > ELSEWHERE_MS);
}

/** Removes a second name that belongs to no lock any more. Contract: only one whose process is dead. */
function removeLeftover(folder: string, name: string): void {
  const [, lock = "", token = "", claimant] = SECOND_NAME.exec(name) ?? [];
  const file = `${folder}/${name}`;
  const held = readLock(file);
  // A lock that cannot be read may be one that its process is just writing.
  if (held === undefined ? ageOf(file) < ELSEWHERE_MS : !isAbandoned(file, held)) return;
  if (claimant !== undefined && !isClaimAbandoned(file)) return;
  if (readLock(`${folder}/${lock}`)?.token !== token) unlinkIfThere(file);
}

function secondName(lock: string, token: string): string {
  return `${lock}.${token}`;
}

function linkUnlessTaken(own: string, lock: string): boolean {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
}

function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

/** Whether a file of the lock folder is a lock itself. */
export function isLockName(name: string): boolean {
  return LOCK_NAME.test(name);
}

/** Who has a lock. Contract: absent when nobody has. */
export function readLock(file: string): Held | undefined {
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

function ageOf(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function busy(path: string, held: Held | undefined, waitMs: number): IkigaiError {
  const holder = held === undefined ? "another process" : `process ${held.owner.pid}`;
  return new IkigaiError("unavailable", `${path} has been held by ${holder} for more than ${waitMs} ms`, {
    hint: "Try again later.",
  });
}
