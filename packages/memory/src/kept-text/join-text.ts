import { IkigaiError } from "@ikigai/core";
import { keysOf, type StoredChunk, unpackChunk } from "./text-chunk.ts";

/**
 * Puts a text together again from its chunks.
 *
 * Contract: exactly what was cut, since every chunk is checked against its hash. `unavailable`, naming `name`, when one is
 * missing or is not what its hash says.
 */
export function joinText(root: Uint8Array, find: (key: string) => StoredChunk | undefined, name: string): string {
  const load = (key: string): { readonly packing: StoredChunk["packing"]; readonly bytes: Uint8Array } => {
    const stored = find(key);
    if (stored === undefined) throw incomplete(name, key, "is missing");
    const bytes = unpackChunk(stored);
    if (bytes === undefined) throw incomplete(name, key, "is damaged");
    return { packing: stored.packing, bytes };
  };
  const parts = keysOf(root).flatMap((key) => {
    const { packing, bytes } = load(key);
    return packing === "list" ? keysOf(bytes).map((inner) => load(inner).bytes) : [bytes];
  });
  return Buffer.concat(parts).toString("utf8");
}

function incomplete(name: string, key: string, what: string): IkigaiError {
  return new IkigaiError(
    "unavailable",
    `The text of ${name} cannot be read: a piece of it ${what} (${key.slice(0, 12)})`,
    {
      hint: "Nothing was changed. Other entries may be whole; a backup of the store has what is missing here.",
      details: { chunk: key },
    },
  );
}
