import type { BlockContent, BlockEntry } from "@ikigai/core";
import { linkPath } from "../markdown/wikilink.ts";
import { scanNote } from "../note/scan-note.ts";
import type { Properties } from "../note/simple-yaml.ts";

/** A link out of a note, as the index keeps it. */
export interface NoteLink {
  readonly kind: "wikilink" | "markdown" | "property";
  readonly embed: boolean;
  readonly raw: string;
  /** The path that the link names, without heading, block and alias; decoded when it is a Markdown link. */
  readonly target: string;
}

/** What the index knows of one note. Plain JSON, so that any store can keep it. */
export interface NoteRow {
  readonly uri: string;
  readonly mount: string;
  readonly path: string;
  /** The file's name without `.md`. */
  readonly name: string;
  readonly version: string;
  readonly bytes?: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt?: number;
  readonly title?: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly properties: Properties;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly blocks: readonly string[];
  readonly links: readonly NoteLink[];
  /** Why the front matter could not be read. */
  readonly problem?: string;
}

const EXTERNAL = /^[A-Za-z][A-Za-z0-9+.-]*:(?!\/\/\/)/;

/** Whether a path is a note's. */
export function isNotePath(path: string): boolean {
  return path.length > 3 && path.slice(-3).toLowerCase() === ".md";
}

/** The row of a note that was just read. */
export function toNoteRow(mount: string, entry: BlockEntry, content: BlockContent): NoteRow {
  const scan = scanNote(content.text);
  const { path, bytes, modifiedAt } = entry;
  return {
    uri: `${mount}:///${path}`,
    mount,
    path,
    name: noteName(path),
    version: content.version,
    ...(bytes !== undefined && { bytes }),
    ...(modifiedAt !== undefined && { modifiedAt: modifiedAt.getTime() }),
    ...(scan.title !== undefined && { title: scan.title }),
    aliases: scan.aliases,
    tags: scan.tags,
    properties: scan.properties,
    headings: scan.headings.map(({ level, text }) => ({ level, text })),
    blocks: scan.blocks.map(({ id }) => id),
    links: scan.links.flatMap(({ kind, embed, raw }) => {
      const target = linkTarget(kind, raw);
      return target === undefined ? [] : [{ kind, embed, raw, target }];
    }),
    ...(scan.problem !== undefined && { problem: scan.problem }),
  };
}

/** The path that a link names, or `undefined` when it leads out of the notes. */
export function linkTarget(kind: NoteLink["kind"], raw: string): string | undefined {
  if (kind !== "markdown") return linkPath(raw);
  if (EXTERNAL.test(raw) || raw.startsWith("//")) return undefined;
  const hash = raw.indexOf("#");
  const path = hash === -1 ? raw : raw.slice(0, hash);
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function noteName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return isNotePath(name) ? name.slice(0, -3) : name;
}
