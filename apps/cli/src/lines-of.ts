import { open } from "node:fs/promises";
import { IkigaiError, messageOf } from "@ikigai/core";

/**
 * The lines of a file, one after another.
 *
 * Contract: the file is opened when the first line is asked for, so nothing is lost while the reader is busy elsewhere.
 * One that is not there is `not_found`, one that cannot be read `invalid_input`.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  await using handle = await open(path, "r").catch((cause: unknown) => refuse(path, cause));
  if ((await handle.stat()).isDirectory()) refuse(path, new Error("it is a folder"));
  for await (const line of handle.readLines()) yield line;
}

function refuse(path: string, cause: unknown): never {
  if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
    throw new IkigaiError("not_found", `There is no file ${path}`, { hint: "Check the path.", cause });
  }
  throw new IkigaiError("invalid_input", `${path} cannot be read: ${messageOf(cause)}`, {
    hint: "Give a file that you may read.",
    cause,
  });
}
