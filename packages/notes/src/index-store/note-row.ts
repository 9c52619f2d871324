import type { TextContent, TextEntry } from "@ikigai/core";
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
  /** The note was so new when it was read that a later save may carry the same time: it is read once more. */
  readonly unsettled?: boolean;
}

const EXTERNAL = /^[A-Za-z][A-Za-z0-9+.-]*:(?!\/\/\/)/;

/** Shorter strings are copied when they are cut out. */
const SLICED = 13;

/** Whether a path is a note's. */
export function isNotePath(path: string): boolean {
  return path.length > 3 && path.slice(-3).toLowerCase() === ".md";
}

/** The row of a note that was just read. */
export function toNoteRow(mount: string, entry: TextEntry, content: TextContent): NoteRow {
  const scan = scanNote(content.text);
  const { path, bytes, modifiedAt } = entry;
  const links: NoteLink[] = [];
  for (const link of scan.links) {
    const raw = detach(link.raw);
    const target = linkTarget(link.kind, raw);
    if (target !== undefined) links.push({ kind: link.kind, embed: link.embed, raw, target });
  }
  return {
    uri: `${mount}:///${path}`,
    mount,
    path,
    name: noteName(path),
    version: content.version,
    ...(bytes !== undefined && { bytes }),
    ...(modifiedAt !== undefined && { modifiedAt: modifiedAt.getTime() }),
    ...(scan.title !== undefined && { title: detach(scan.title) }),
    aliases: scan.aliases.map(detach),
    tags: scan.tags.map(detach),
    properties: detachAll(scan.properties) as Properties,
    headings: scan.headings.map(({ level, text }) => ({ level, text: detach(text) })),
    blocks: scan.blocks.map(({ id }) => detach(id)),
    links,
    ...(scan.problem !== undefined && { problem: scan.problem }),
  };
}

/** A note's row with the size and time that a list says now. */
export function withEntry(row: NoteRow, { bytes, modifiedAt }: TextEntry): NoteRow {
  const { uri, mount, path, name, version, title, aliases, tags, problem } = row;
  const { properties, headings, blocks, links } = row;
  return {
    uri,
    mount,
    path,
    name,
    version,
    ...(bytes !== undefined && { bytes }),
    ...(modifiedAt !== undefined && { modifiedAt: modifiedAt.getTime() }),
    ...(title !== undefined && { title }),
    aliases,
    tags,
    properties,
    headings,
    blocks,
    links,
    ...(problem !== undefined && { problem }),
  };
}

/** A string cut out of a text keeps the whole text in memory; adding to it and cutting again makes a copy. */
function detach(part: string): string {
  return part.length < SLICED ? part : ` ${part}`.slice(1);
}

function detachAll(value: unknown): unknown {
  if (typeof value === "string") return detach(value);
  if (Array.isArray(value)) return value.map(detachAll);
  if (typeof value !== "object" || value === null) return value;
  // Objects without a prototype are slow, so they are only made for keys that need one.
  const copy = (Object.hasOwn(value, "__proto__") ? Object.create(null) : {}) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[detach(key)] = detachAll((value as Record<string, unknown>)[key]);
  return copy;
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
