import type { Metadata } from "../contract.ts";

const FIELDS = ["speaker", "author", "from", "name"] as const;
const PREFIX = /^\s*\**(\p{Lu}[\p{L}\p{M}.'’-]{0,30}(?: \p{Lu}[\p{L}\p{M}.'’-]{0,30}){0,2})\**\s*:\s/u;
const MAX_NAME = 100;

/** Who says it: the metadata's `speaker`, `author`, `from` or `name`, or a name and a colon before the content. */
export function speakerOf(content: string, metadata: Metadata): string | undefined {
  for (const field of FIELDS) {
    const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
    if (typeof value === "string" && value.trim() !== "" && value.length <= MAX_NAME) return value;
  }
  return PREFIX.exec(content.slice(0, MAX_NAME))?.[1];
}
