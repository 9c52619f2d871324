import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Place } from "../place/place.ts";
import type { WaitingFiles } from "./store-options.ts";

/**
 * The files where rows wait until their store takes them in.
 *
 * Contract: each store has its own, so that nothing private reaches a server that others read. A server is known by its
 * address without the password, which may change.
 */
export function waitingFiles({ stateDirectory, storeUrl }: Pick<Place, "stateDirectory" | "storeUrl">): WaitingFiles {
  const suffix = storeUrl === undefined ? "" : `-${fingerprint(withoutPassword(storeUrl))}`;
  return {
    auditFile: join(stateDirectory, `audit${suffix}.jsonl`),
    journalFile: join(stateDirectory, `journal${suffix}.jsonl`),
    folder: join(stateDirectory, `files${suffix}`),
  };
}

function fingerprint(address: string): string {
  return createHash("sha256").update(address).digest("hex").slice(0, 16);
}

/** The address of a server without the password. Contract: also for addresses that `URL` does not read, such as those of several hosts. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^postgres(ql)?:\/\//i, "postgres://")
    .replace(/^(postgres:\/\/[^:@/?#]*):[^/?#]*@/, "$1@")
    .replace(/([?&])password=[^&#]*&?/g, "$1")
    .replace(/[?&]$/, "");
}
