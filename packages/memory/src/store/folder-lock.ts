import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError, messageOf } from "@ikigai/core";

const LOCK = "lock";
/** Held by whoever removes the lock of a process that is gone, so that nobody removes the next one's. */
const SWEEP = "lock.sweep";
const WAIT_MS = 10_000;
const PAUSE_MS = 4;
/** A lock without a process is one that is just being written, unless it is older than this. */
const UNWRITTEN_MS = 5_000;

/**
 * Waits until this process alone uses a folder.
 *
 * Contract: the lock of a process that ended is taken over; one that is held for longer than `waitMs` is `unavailable`.
 */
export async function lockFolder(folder: string, waitMs: number = WAIT_MS): Promise<AsyncDisposable> {
  const lock = join(folder, LOCK);
  const until = Date.now() + waitMs;
  while (!(await tryToCreate(lock))) {
    if (Date.now() > until) {
      throw new IkigaiError("unavailable", `${folder} is held by another process for more than ${waitMs} ms`, {
        hint: `Try again; if no ikigai runs, remove ${lock}.`,
      });
    }
    if (await isLeftBehind(lock)) await sweep(folder);
    await delay(PAUSE_MS + Math.random() * PAUSE_MS);
  }
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) };
}

async function tryToCreate(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new IkigaiError("unavailable", `${path} cannot be made: ${messageOf(error)}`, { cause: error });
  }
}

async function isLeftBehind(path: string): Promise<boolean> {
  const holder = await readFile(path, "utf8").catch(() => undefined);
  if (holder === undefined) return false;
  if (holder !== "") return !isAlive(Number(holder));
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs > UNWRITTEN_MS;
}

async function sweep(folder: string): Promise<void> {
  const mark = join(folder, SWEEP);
  if (!(await tryToCreate(mark))) {
    if (await isLeftBehind(mark)) await rm(mark, { force: true });
    return;
  }
  try {
    if (await isLeftBehind(join(folder, LOCK))) await rm(join(folder, LOCK), { force: true });
  } finally {
    await rm(mark, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
