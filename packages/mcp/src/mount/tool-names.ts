import { createHash } from "node:crypto";

const MAX_NAME = 64;
const HASH = 6;

/**
 * The names under which a server's tools join the registry: `server__tool`.
 *
 * Contract: every name fits the registry's rule, and no two tools of a server get the same one; where lower case and
 * underscores make two equal, or a name too long, a hash of the original is appended.
 */
export function toolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = tools.map((tool) => `${normalise(server)}__${normalise(tool)}`);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    tools.map((tool, index) => {
      const name = plain[index] as string;
      const unique = counts.get(name) === 1 && name.length <= MAX_NAME;
      return [tool, unique ? name : `${name.slice(0, MAX_NAME - HASH - 1)}_${hash(tool)}`];
    }),
  );
}

function normalise(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH);
}
