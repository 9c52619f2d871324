import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { IkigaiError } from "@ikigai/core";
import { isErrno } from "./file-errors.ts";

/**
 * Where the locks of this user lie: the same folder for every process, whatever its environment says.
 *
 * Contract: throws `unavailable` when the folder is not this user's alone.
 */
export function lockFolder(base: string = process.platform === "win32" ? tmpdir() : "/tmp"): string {
  const uid = process.getuid?.() ?? 0;
  const path = `${base}/ikigai-${uid}`;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
  const stat = lstatSync(path);
  if (stat.isDirectory() && stat.uid === uid && (stat.mode & 0o077) === 0) return path;
  throw new IkigaiError("unavailable", `${path} is not a private folder of this user, so files cannot be locked`, {
    hint: "Ask the user to remove it.",
  });
}
