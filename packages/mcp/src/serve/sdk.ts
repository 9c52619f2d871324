import type * as Sdk from "@modelcontextprotocol/server";

/** The protocol library, loaded when the first connection needs it and not before. */
export function loadSdk(): Promise<typeof Sdk> {
  return import("@modelcontextprotocol/server");
}

export type { Sdk };
