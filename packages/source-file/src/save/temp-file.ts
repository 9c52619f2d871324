import { hash, randomUUID } from "node:crypto";
import type { Owner } from "../lock/owner.ts";

/**
 * What a file of ours beside a target is for.
 *
 * - `tmp`: new bytes on their way, perhaps not all of them yet. Nobody else knows it.
 * - `old`: what the target was before a save; a person's last edit may be in it.
 * - `rm`: what the target was before it was removed.
 * - `bak`, `new`: all old and all new bytes of a file that is being written in place.
 */
export type TempFileKind = "tmp" | "old" | "rm" | "bak" | "new";

/** A file that exists only during one save, and says in its name all that is needed to clean up after it. */
export interface TempFile {
  readonly kind: TempFileKind;
  readonly owner: Owner;
  /** Random token of one save. */
  readonly token: string;
  /** Recognises the target among the names of the folder. */
  readonly target: string;
  /** First digits of the version before and after the save. */
  readonly before: string;
  readonly after: string;
}

const PREFIX = ".ikigai~";
const NAME =
  /^\.ikigai~(tmp|old|rm|bak|new)-(\d+)-(\d+)-([0-9a-f]{8})-([0-9a-f]{12})-([0-9a-f]{8})-([0-9a-f]{16})-([0-9a-f]{16})$/;
/** The names of such files as a glob, which has no way to ask for digits. */
export const LEFTOVER_GLOB: string = `${PREFIX}{tmp,old,rm,bak,new}-*-*-${[8, 12, 8, 16, 16].map((length) => "?".repeat(length)).join("-")}`;
const SHORT = 16;
const NOTHING = "0".repeat(SHORT);

/** Whether `name` is one of ours, and so hidden from lists and watchers. */
export function isTempFile(name: string): boolean {
  return name.startsWith(PREFIX) && NAME.test(name);
}

export function newToken(): string {
  // The last twelve digits are all random, and drawn in advance.
  return randomUUID().slice(-12);
}

export function targetKey(name: string): string {
  return hash("sha256", name, "hex").slice(0, 8);
}

/** The part of a version that a temp file's name carries. */
export function shortVersion(version: string | undefined): string {
  return version?.slice(0, SHORT) ?? NOTHING;
}

export function tempFileName({ kind, owner, token, target, before, after }: TempFile): string {
  return `${PREFIX}${[kind, owner.pid, owner.start, owner.place, token, target, before, after].join("-")}`;
}

export function parseTempFile(name: string): TempFile | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, kind = "", pid = "", start = "", place = "", token = "", target = "", before = "", after = ""] = match;
  return { kind: kind as TempFileKind, owner: { pid: Number(pid), start, place }, token, target, before, after };
}
