import { mountOf, splitAddress } from "@ikigai/core/host";
import type { NoteGraph } from "../index-store/note-graph.ts";
import { linkPath } from "../markdown/wikilink.ts";
import { scanNote } from "../note/scan-note.ts";

/** A place in a text that names another place. */
export interface TextReference {
  readonly kind: "address" | "wikilink" | "path";
  /** The reference as it is written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Address of what it leads to, or `null` when nothing is there. */
  readonly to: string | null;
}

export interface FindReferencesOptions {
  /** Graph of the notes that exist. */
  readonly graph: NoteGraph;
  /** Address of the text itself: links resolve from there. */
  readonly from?: string;
  /** The mounts that bare paths are looked for in, in this order. Default: the text's own, then all others. */
  readonly mounts?: readonly string[];
}

const ADDRESS = /[a-z][a-z0-9-]{0,31}:\/\/\/[^\s<>"'`|[\](){}]+/g;
const PATH =
  /(?<![\w./:@-])(?:(?:\.{1,2}\/)+[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*|[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)+)(?![\w/])/gu;
const TRAILING = /[.,;:!?]+$/;
const MAX_TEXT = 10_000_000;

/**
 * The addresses, wikilinks and file paths in any text, in its order, each with where it leads.
 *
 * Contract: never throws; a word with slashes counts as a path only when it ends in an extension or leads somewhere.
 */
export function findReferences(text: string, options: FindReferencesOptions): TextReference[] {
  const searched = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  const found = [...wikilinks(searched, options), ...addresses(searched, options)];
  const taken = found.toSorted((one, other) => one.start - other.start);
  return [...taken, ...paths(searched, taken, options)].toSorted((one, other) => one.start - other.start);
}

function wikilinks(text: string, { graph, from = "" }: FindReferencesOptions): TextReference[] {
  const row = graph.get(from) ?? unindexed(from);
  return scanNote(text).links.flatMap((link): TextReference[] => {
    if (link.kind === "markdown" || link.start === -1) return [];
    const to = graph.resolve(linkPath(link.raw), row) ?? null;
    return [{ kind: "wikilink", text: text.slice(link.start, link.end), start: link.start, end: link.end, to }];
  });
}

function addresses(text: string, { graph }: FindReferencesOptions): TextReference[] {
  return [...text.matchAll(ADDRESS)].map((match) => {
    const written = match[0].replace(TRAILING, "");
    const slash = written.indexOf(":///");
    const mount = written.slice(0, slash);
    const path = written.slice(slash + 4).split("#", 1)[0] as string;
    const isThere = graph.hasFile(mount, path);
    const to = isThere ? `${mount}:///${path}` : null;
    return { kind: "address", text: written, start: match.index, end: match.index + written.length, to };
  });
}

function paths(text: string, taken: readonly TextReference[], options: FindReferencesOptions): TextReference[] {
  let next = 0;
  return [...text.matchAll(PATH)].flatMap((match): TextReference[] => {
    const written = match[0].replace(TRAILING, "");
    const start = match.index;
    const end = start + written.length;
    while (next < taken.length && (taken[next] as TextReference).end <= start) next += 1;
    const other = taken[next];
    if (other !== undefined && other.start < end) return [];
    const to = pathTarget(written, options);
    const hasExtension = /\.[A-Za-z0-9]{1,10}$/.test(written);
    return to === null && !hasExtension ? [] : [{ kind: "path", text: written, start, end, to }];
  });
}

function pathTarget(written: string, { graph, from = "", mounts }: FindReferencesOptions): string | null {
  const own = mountOf(from);
  const order = mounts ?? [...(own === undefined ? [] : [own]), ...graph.mounts().filter((mount) => mount !== own)];
  const folder =
    own === undefined
      ? ""
      : from
          .slice(own.length + 4)
          .split("/")
          .slice(0, -1)
          .join("/");
  const spellings = written.startsWith(".") ? [join(folder, written)] : [written, join(folder, written)];
  for (const mount of order) {
    for (const path of spellings) if (path !== undefined && graph.hasFile(mount, path)) return `${mount}:///${path}`;
  }
  return null;
}

function join(folder: string, path: string): string | undefined {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** A stand-in for text that is no indexed note. */
function unindexed(uri: string): Parameters<NoteGraph["resolve"]>[1] {
  return {
    uri,
    ...(splitAddress(uri) ?? { mount: "", path: "" }),
    name: "",
    version: "",
    aliases: [],
    tags: [],
    properties: {},
    headings: [],
    blocks: [],
    links: [],
  };
}
