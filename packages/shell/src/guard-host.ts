import { rm } from "node:fs/promises";
import { sweep } from "./sweep.ts";

/**
 * Waits until the host is gone, then ends every process it started and removes its temporary files.
 *
 * Contract: `alive` is a pipe whose other end only the host holds, so its end is the host's end, however that came.
 */
export async function guardHost(alive: AsyncIterable<unknown>, marker: string, folder: string): Promise<void> {
  try {
    for await (const _ of alive);
  } catch {
    // A pipe that breaks means the same.
  }
  // Files first, since whoever ends the host may end us next; and again, for what was written meanwhile.
  const removed = rm(folder, { recursive: true, force: true }).catch(() => {});
  await sweep({ marker });
  await removed;
  await rm(folder, { recursive: true, force: true });
}
