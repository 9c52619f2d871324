import { rm, stat } from "node:fs/promises";
import { setAsideFile, setAsideFiles } from "@ikigai/memory";

/** A writer that opened the file before it was set aside has finished by then. */
const SETTLED_MS = 60_000;

/** Sets a file aside, so that nobody adds to it any more. Gives it, and those that were set aside before. */
export async function setAside(path: string): Promise<string[]> {
  await setAsideFile(path);
  return setAsideFiles(path);
}

/** Removes a file that nobody can be writing to any more. */
export async function removeSettled(file: string): Promise<void> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
  if (Date.now() - mtimeMs > SETTLED_MS) await rm(file, { force: true });
}
