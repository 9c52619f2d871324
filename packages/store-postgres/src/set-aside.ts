import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A writer that opened the file before it was set aside has finished by then. */
const SETTLED_MS = 60_000;

/** Sets a file aside, so that nobody adds to it any more. Gives it, and those that were set aside before. */
export async function setAside(path: string): Promise<string[]> {
  try {
    await rename(path, `${path}.${randomUUID()}.taken`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(".taken"))
    .map((name) => join(dirname(path), name));
}

/** Removes a file that nobody can be writing to any more. */
export async function removeSettled(file: string): Promise<void> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
  if (Date.now() - mtimeMs > SETTLED_MS) await rm(file, { force: true });
}
