import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Forces every file and folder below `directory`, and itself, onto the disk. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else await syncPath(path);
  }
  await syncPath(directory);
}

/** Forces one file, or the entries of one folder, onto the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle: FileHandle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
