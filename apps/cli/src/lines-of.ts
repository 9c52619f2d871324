import { open } from "node:fs/promises";

/**
 * The lines of a file, one after another.
 *
 * Contract: the file is opened when the first line is asked for, so nothing is lost while the reader is busy elsewhere.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  await using handle = await open(path, "r");
  for await (const line of handle.readLines()) yield line;
}
