import type { NoteGraph } from "../index-store/note-graph.ts";
import type { NoteLink, NoteRow } from "../index-store/note-row.ts";
import { withLinkPath } from "../markdown/wikilink.ts";
import { folderOf, nameOf } from "../resolve/link-targets.ts";

/**
 * How `from` writes a link to `to`, in the manner of the link it had: a bare name stays one while it leads there, a
 * path stays a path, `.md` stays. Whatever is written leads to `to` by the graph's own rules.
 */
export function linkTextFor(graph: NoteGraph, from: NoteRow, link: NoteLink, to: NoteRow): string {
  const spellings = [...pathSpellings(link.target, from, to), to.uri];
  const path = spellings.find((spelling) => graph.resolve(spelling, from) === to.uri) ?? to.uri;
  if (link.kind !== "markdown") return withLinkPath(link.raw, path);
  const hash = link.raw.indexOf("#");
  return encodeDestination(path) + (hash === -1 ? "" : link.raw.slice(hash));
}

function pathSpellings(written: string, from: NoteRow, to: NoteRow): string[] {
  const keepsExtension = /\.md$/i.test(written);
  const full = keepsExtension ? to.path : to.path.slice(0, -3);
  if (written.includes(":///")) return [`${to.mount}:///${full}`];
  if (written.startsWith("./") || written.startsWith("../")) return [relativePath(folderOf(from.path), full), full];
  if (written.startsWith("/")) return [`/${full}`, full];
  return written.includes("/") ? [full, `/${full}`] : [nameOf(full), full, `/${full}`];
}

function relativePath(folder: string, path: string): string {
  const own = folder === "" ? [] : folder.split("/");
  const other = path.split("/");
  let shared = 0;
  while (shared < own.length && shared < other.length - 1 && own[shared] === other[shared]) shared += 1;
  const up = "../".repeat(own.length - shared);
  return (up === "" ? "./" : up) + other.slice(shared).join("/");
}

function encodeDestination(path: string): string {
  return encodeURI(path).replaceAll(/[()#?]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
