import { formatAddress, type TextReader } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";

type Followed = Pick<TextReader, "follow">;

/** The path of the text that a write to `path` changes: where its links lead. Contract: `path` itself where nobody can say. */
export function changedPath(source: Followed, path: string): string {
  try {
    return source.follow?.(path).stored ?? path;
  } catch {
    // What cannot be followed is refused by the change itself.
    return path;
  }
}

/** The path of what a removal of `path` takes away: a link itself and not the text behind it, in the folder where it really is. */
export function removedPath(source: Followed, path: string): string {
  const end = path.lastIndexOf("/");
  if (end === -1) return path;
  const folder = changedPath(source, path.slice(0, end));
  return `${folder === "" ? "" : `${folder}/`}${path.slice(end + 1)}`;
}

/** The addresses under which the journal may have changes of the text at a route: as it is named, and where links lead. */
export function journalledUris({ source, address, uri }: Route): readonly string[] {
  const { mount, path } = address;
  const followed = [changedPath(source, path), removedPath(source, path)];
  return [...new Set([uri, ...followed.map((one) => formatAddress({ mount, path: one }))])];
}
