import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { IkigaiError, messageOf } from "@ikigai/core";

/**
 * Writes a file that was not there, for its owner only.
 *
 * Contract: `conflict` when something is there already, `not_found` without its folder; safe on the disk afterwards.
 * When `fill` fails, no file is left.
 */
export async function writeNewFile(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    throw refused(path, cause);
  });
  try {
    await fill(file);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function refused(path: string, cause: unknown): IkigaiError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") {
    return new IkigaiError("conflict", `${path} is there already`, { hint: "Name a file that is not there.", cause });
  }
  if (code === "ENOENT" || code === "ENOTDIR") {
    const hint = "Make it, or name another file.";
    return new IkigaiError("not_found", `${path} cannot be written: there is no folder ${dirname(path)}`, {
      hint,
      cause,
    });
  }
  return new IkigaiError("unavailable", `${path} cannot be written: ${messageOf(cause)}`, {
    hint: "Name a file in a folder of yours.",
    cause,
  });
}
