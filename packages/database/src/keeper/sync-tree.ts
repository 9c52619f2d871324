import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Disks write what is synced together together. */
const AT_ONCE = 64;

/** Forces every file and folder below `directory`, and itself, onto the disk. */
export async function syncTree(directory: string): Promise<void> {
  const names = await readdir(directory, { recursive: true });
  const paths = [...names.map((name) => join(directory, name)), directory];
  const next = paths.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const path of next) await syncPath(path);
    }),
  );
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
