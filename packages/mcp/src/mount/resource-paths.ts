import { createHash } from "node:crypto";

/**
 * Paths for foreign URIs: `notes://work/a b.md` becomes `notes/work/a b.md`.
 *
 * Contract: every path is a valid one of a source, and no two URIs get the same.
 */
export function resourcePaths(uris: readonly string[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const uri of uris) {
    const plain = plainPath(uri);
    paths.set(paths.has(plain) || plain === "" ? `${plain}~${hash(uri)}` : plain, uri);
  }
  return paths;
}

function plainPath(uri: string): string {
  const [, scheme = "", rest = ""] = /^([^:/]*):\/{0,2}(.*)$/s.exec(uri) ?? [undefined, "", uri];
  return `${scheme}/${decoded(rest)}`
    .toWellFormed()
    .replaceAll("\\", "_")
    .replaceAll("\0", "_")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .map((segment) => (segment === ".." ? "__" : segment))
    .join("/")
    .slice(0, 1_000)
    .toWellFormed();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
