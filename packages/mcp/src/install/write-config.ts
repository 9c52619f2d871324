import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { IkigaiError } from "@ikigai/core";

const MAX_BYTES = 16_777_216;

/** Contract: `undefined` when there is no such file; `unavailable` at once for one that is not regular or too large. */
export async function readConfig(file: string): Promise<string | undefined> {
  const handle = await orAbsent(open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY));
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (stats.isFile() && stats.size <= MAX_BYTES) return await handle.readFile("utf8");
    throw new IkigaiError("unavailable", `${file} is not a regular file of at most ${MAX_BYTES} bytes`, {
      hint: "Put a regular file there, or move it away.",
    });
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a configuration file as a whole.
 *
 * Contract: afterwards it holds the old text or the new one, also after a power cut; its mode, and a link that leads to
 * it, stay. When it no longer holds `before`, that is a `conflict` and nothing is changed.
 */
export async function writeConfig(file: string, before: string | undefined, after: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const target = (await orAbsent(realpath(file))) ?? file;
  const folder = path.dirname(target);
  const temporary = path.join(folder, `.${path.basename(target)}.${randomBytes(6).toString("hex")}.tmp`);
  const mode = (await orAbsent(stat(target)))?.mode ?? 0o600;
  try {
    const handle = await open(temporary, "wx", mode & 0o777);
    try {
      await handle.chmod(mode & 0o777);
      await handle.writeFile(after);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readConfig(target)) !== before) {
      throw new IkigaiError("conflict", `${file} changed meanwhile`, { hint: "Look at it again, then retry." });
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no way to do this.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function orAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
