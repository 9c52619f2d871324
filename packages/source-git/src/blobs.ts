import { IkigaiError } from "@ikigai/core";
import type { GitCall, RunGit } from "./run-git.ts";

const HEADER = /^([0-9a-f]+) (\w+) (\d+)$/;
const NEWLINE = 10;

/**
 * The contents of some blobs, all from one git process.
 *
 * Contract: git is given names of objects only, never a path. An object that the repository lacks is `unavailable`.
 */
export async function readBlobs(git: RunGit, ids: readonly string[], call: GitCall): Promise<Map<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  if (ids.length === 0) return blobs;
  const output = await git(["cat-file", "--batch"], { ...call, input: `${ids.join("\n")}\n` });
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(NEWLINE, at);
    const line = output.toString("latin1", at, end);
    const [, id, , size] = HEADER.exec(line) ?? [];
    if (end === -1 || id === undefined)
      throw new IkigaiError("unavailable", `The repository lacks an object: ${line}`, {
        hint: "Fetch it: git fetch --unshallow, or git fetch --refetch for a partial clone.",
      });
    const start = end + 1;
    blobs.set(id, output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return blobs;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text in a blob. Contract: `undefined` for what is not UTF-8 text. */
export function textIn(blob: Buffer): string | undefined {
  if (blob.includes(0)) return undefined;
  try {
    return utf8.decode(blob);
  } catch {
    return undefined;
  }
}
