import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { IkigaiError, messageOf } from "@ikigai/core";

/**
 * The lines of a file, one after another.
 *
 * Contract: the file is opened when the first line is asked for, so nothing is lost while the reader is busy elsewhere.
 * Rejects as {@link assertReadable} does.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  await assertReadable(path);
  await using handle = await open(path, "r");
  for await (const line of handle.readLines()) yield line;
}

/** Contract: `not_found` when there is no such file, `invalid_input` for a folder, `unavailable` when it is not ours. */
export async function assertReadable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new IkigaiError("not_found", `There is no file ${path}`, { hint: "Name one that was exported." });
  }
  if (found.isDirectory()) {
    throw new IkigaiError("invalid_input", `${path} is a folder`, { hint: "Name a file in it." });
  }
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new IkigaiError("unavailable", `${path} cannot be read: ${messageOf(cause)}`, {
      hint: "Mend its permissions.",
      cause,
    });
  });
}
