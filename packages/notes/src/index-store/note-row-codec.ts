import type { RowCodec } from "@ikigai/core/host";
import type { Properties } from "../note/simple-yaml.ts";
import { type NoteLink, type NoteRow, noteName } from "./note-row.ts";

/** First line of a stored row: what tells whether a note changed, and finds it by name. */
type Head = [
  path: string,
  version: string,
  bytes: number | null,
  modifiedAt: number | null,
  title: string | null,
  aliases: readonly string[],
  tags: readonly string[],
  problem?: string | null,
  unsettled?: 1,
];
type Kind = NoteLink["kind"];
type PackedLink = [kind: number, raw: string, target?: string];
type Tail = [
  properties: Properties,
  headings: readonly (readonly [level: number, text: string])[],
  blocks: readonly string[],
  links: readonly PackedLink[],
];
type Rest = Pick<NoteRow, "properties" | "headings" | "blocks" | "links">;

const KINDS: readonly Kind[] = ["wikilink", "markdown", "property"];

/**
 * Two lines of JSON without names. The second, by far the longer one, is only read when somebody asks for the links,
 * headings, blocks or properties of that note.
 */
export const noteRowCodec: RowCodec<NoteRow> = {
  encode(row) {
    const { path, version, bytes = null, modifiedAt = null, title = null, aliases, tags, problem = null } = row;
    const head: Head = [path, version, bytes, modifiedAt, title, aliases, tags];
    if (problem !== null || row.unsettled === true) head.push(problem);
    if (row.unsettled === true) head.push(1);
    const links = row.links.map((link): PackedLink => {
      const kind = KINDS.indexOf(link.kind) * 2 + (link.embed ? 1 : 0);
      return link.target === link.raw ? [kind, link.raw] : [kind, link.raw, link.target];
    });
    const tail: Tail = [row.properties, row.headings.map(({ level, text }) => [level, text]), row.blocks, links];
    return `${JSON.stringify(head)}\n${JSON.stringify(tail)}`;
  },
  decode(text, mount) {
    const end = text.indexOf("\n");
    // Rows that an earlier version kept are one object.
    if (end === -1) return JSON.parse(text) as NoteRow;
    const [path, version, bytes, modifiedAt, title, aliases, tags, problem, unsettled] = JSON.parse(
      text.slice(0, end),
    ) as Head;
    let rest: string | Rest = text.slice(end + 1);
    const unpacked = (): Rest => (typeof rest === "string" ? (rest = unpack(rest)) : rest);
    const row: Writable<NoteRow> = {
      uri: `${mount}:///${path}`,
      mount,
      path,
      name: noteName(path),
      version,
      aliases,
      tags,
      // Own properties, so that a copy of the row has them too.
      get properties() {
        return unpacked().properties;
      },
      get headings() {
        return unpacked().headings;
      },
      get blocks() {
        return unpacked().blocks;
      },
      get links() {
        return unpacked().links;
      },
    };
    if (bytes !== null) row.bytes = bytes;
    if (modifiedAt !== null) row.modifiedAt = modifiedAt;
    if (title !== null) row.title = title;
    if (problem) row.problem = problem;
    if (unsettled === 1) row.unsettled = true;
    return row;
  },
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function unpack(text: string): Rest {
  const [properties, headings, blocks, links] = JSON.parse(text) as Tail;
  return {
    properties,
    headings: headings.map(([level, heading]) => ({ level, text: heading })),
    blocks,
    links: links.map(([kind, raw, target = raw]) => ({
      kind: KINDS[kind >> 1] as Kind,
      embed: kind % 2 === 1,
      raw,
      target,
    })),
  };
}
