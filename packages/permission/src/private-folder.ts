import { type Stats, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { IkigaiError } from "@ikigai/core";

/**
 * Makes a folder for its owner only, with the folders above it.
 *
 * Contract: one that is there stays as it is; `unavailable` names the folder that cannot be made. Each folder is made by
 * itself: where nothing can be made, as below `/proc`, Node's recursive mkdir never ends.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  const found = look(path);
  if (found?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) await makePrivateFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    if (found === undefined && (cause as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new IkigaiError("unavailable", `The folder ${path} cannot be made: ${(cause as Error).message}`, {
      hint: "Choose another place, or mend its permissions.",
      cause,
    });
  }
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // Below a file nothing can be looked at; making it says so.
  }
}
