import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { IkigaiError } from "@ikigai/core";
import { isErrno } from "../file-errors.ts";

/** Where locks may lie. */
export interface LockPlaces {
  /** The user's home, where nobody else can put anything. Absent: the user has none. */
  readonly home?: string | undefined;
  /** A folder that all users share, for users without a home. */
  readonly shared: string;
}

const LOCKS = /\/locks-[0-9a-f]{12}$/;
const OLD_MS = 90 * 24 * 60 * 60 * 1_000;

/**
 * Where the locks of this user lie: the same folder for every process, whatever its environment says.
 *
 * Contract: in the user's home, so that no other user can take the place first. Only without a home that can be written
 * in the folder that all share; then throws `unavailable`, naming the folder, when it is not this user's alone.
 */
export function lockFolder(places: LockPlaces = usualPlaces()): string {
  const uid = process.getuid?.() ?? 0;
  return inHome(places.home, uid) ?? privateFolder(`${places.shared}/ikigai-${uid}`, uid);
}

function usualPlaces(): LockPlaces {
  return { home: homeFromSystem(), shared: process.platform === "win32" ? tmpdir() : "/tmp" };
}

/** The user's home as the system knows it, since `HOME` may differ from process to process. */
function homeFromSystem(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function inHome(home: string | undefined, uid: number): string | undefined {
  if (home === undefined || home === "/") return undefined;
  const state = `${home}/.local/state/ikigai`;
  const path = `${state}/locks-${thisBoot()}`;
  try {
    if (statSync(home).uid !== uid) return undefined;
    mkdirSync(path, { recursive: true, mode: 0o700 });
    utimesSync(path, new Date(), new Date());
    for (const name of readdirSync(state)) removeIfOld(`${state}/${name}`);
  } catch {
    return undefined;
  }
  return privateFolder(path, uid);
}

/** A home may be shared by machines, on each of which a path is another file; and no lock outlives a boot. */
function thisBoot(): string {
  let boot = "";
  try {
    boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
  } catch {
    // The system does not tell.
  }
  return createHash("sha256").update(`${hostname()}\n${boot}`).digest("hex").slice(0, 12);
}

/** Removes the locks of a boot that is long over. */
function removeIfOld(path: string): void {
  if (!LOCKS.test(path) || Date.now() - statSync(path).mtimeMs < OLD_MS) return;
  rmSync(path, { recursive: true, force: true });
}

function privateFolder(path: string, uid: number): string {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
  const stat = lstatSync(path);
  if (stat.isDirectory() && stat.uid === uid && (stat.mode & 0o077) === 0) return path;
  const why = stat.isSymbolicLink()
    ? "is a link"
    : stat.uid === uid
      ? "is open to others"
      : `belongs to user ${stat.uid}`;
  throw new IkigaiError(
    "unavailable",
    `${path} is not a private folder of this user (it ${why}), so files cannot be locked`,
    {
      hint: "Ask the user to remove it.",
    },
  );
}
