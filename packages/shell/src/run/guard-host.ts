import { rm } from "node:fs/promises";
import { sweep } from "@ikigai/core/process";

/**
 * Waits until the host is gone, then ends every process it started and removes its temporary files.
 *
 * Contract: `alive` is a pipe whose other end only the host holds, so its end is the host's end, however that came. Each
 * line in it is a mark that processes of the host carry.
 */
export async function guardHost(alive: AsyncIterable<unknown>, marker: string, folder: string): Promise<void> {
  let told = "";
  try {
    for await (const chunk of alive) told += String(chunk);
  } catch {
    // A pipe that breaks means the same.
  }
  // Files first, since whoever ends the host may end us next; and again, for what was written meanwhile.
  const removed = rm(folder, { recursive: true, force: true }).catch(() => {});
  await sweep({ marker, marks: told.split("\n").filter((line) => /^\d+$/.test(line)) });
  await removed;
  await rm(folder, { recursive: true, force: true });
}
