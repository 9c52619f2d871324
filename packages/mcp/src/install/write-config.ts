import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { IkigaiError } from "@ikigai/core";

/** Contract: `undefined` when there is no such file. */
export async function readConfig(file: string): Promise<string | undefined> {
  return orAbsent(readFile(file, "utf8"));
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
