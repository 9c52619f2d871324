import { type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import { oncePerInput } from "@ikigai/core/host";
import { countLines, sliceLines } from "@ikigai/core/text";
import { z } from "zod";
import { findSection, sectionPath } from "../note/sections.ts";
import type { ReadNote } from "../repository/knowledge-repository.ts";
import type { NoteToolsContext } from "./create-note-tools.ts";
import { notesText, noteText } from "./note-text.ts";
import { LIST_OUTPUT, METADATA_OUTPUT, READ_OUTPUT } from "./outputs.ts";
import { callOf, readsAll, toListed } from "./support.ts";

const NAME = z.string().min(1).describe("Note name, wikilink or path-qualified name: Ideas, [[Ideas]], projects/Ideas");

/** read_note, get_note_metadata and list_notes. */
export function createReadTools({ repository, seen }: NoteToolsContext): readonly AnyTool[] {
  const pin = oncePerInput(async (input) => repository.resolver.resolve((input as { name: string }).name));
  const effects = async (input: object): Promise<readonly { action: "read"; target: string }[]> => [
    { action: "read", target: (await pin(input)).uri },
  ];

  return [
    defineTool({
      name: "read_note",
      title: "Read a note",
      description:
        "Reads a note by name, whole or in part: a section by its heading (also as Name#Heading), a block as Name#^id, " +
        "or limit lines from line offset on. Returns the text, its version and the note's number of lines.",
      input: z.strictObject({
        name: NAME,
        section: z.string().min(1).optional().describe("Heading, or Heading#Sub, or ^block"),
        offset: z.int().min(1).optional().describe("First line, counted from 1"),
        limit: z.int().min(1).optional().describe("How many lines"),
      }),
      modernise: modernRange,
      output: READ_OUTPUT,
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      effects,
      async run(input, context) {
        const { uri, headings, block } = await pin(input);
        const note = await repository.readNote(uri, callOf(context));
        const parts = [...headings, ...(block === undefined ? [] : [`^${block}`])];
        const section = input.section === undefined ? parts : sectionPath(input.section);
        const content = selectLines(selectSection(note, section), input.offset, input.limit);
        seen.note(context, uri, note.version);
        return {
          name: note.location.name,
          uri,
          content,
          version: note.version,
          total_lines: countLines(note.text),
          ...(note.problem !== undefined && { problem: note.problem }),
        };
      },
      toText: noteText,
    }),
    defineTool({
      name: "get_note_metadata",
      title: "Describe a note",
      description:
        "Tags, properties, headings, links to and from a note, and its times, without its text. Prefer it to read_note " +
        "when only these are needed.",
      input: z.strictObject({ name: NAME }),
      output: METADATA_OUTPUT,
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      effects,
      async run(input, context) {
        const known = await repository.getMetadata(await pin(input), callOf(context));
        const ends = (list: typeof known.backlinks): unknown =>
          list.map(({ name, uri, count }) => ({ name, uri, count }));
        return {
          ...toListed(known),
          version: known.version,
          tags: known.tags,
          aliases: known.aliases,
          properties: known.properties,
          headings: known.headings,
          blocks: known.blocks,
          backlinks: ends(known.backlinks),
          forward_links: ends(known.forwardLinks),
          unresolved_links: known.unresolvedLinks,
          ...(known.bytes !== undefined && { bytes: known.bytes }),
          ...(known.createdAt !== undefined && { created_at: known.createdAt.toISOString() }),
          ...(known.problem !== undefined && { problem: known.problem }),
        };
      },
    }),
    defineTool({
      name: "list_notes",
      title: "List notes",
      description: "Notes by address, optionally only those below a folder. Returns names, tags and times.",
      input: z.strictObject({
        path: z.string().optional().describe("Folder or address, such as projects or ikigai:///notes"),
        limit: z.int().min(1).max(1_000).default(100),
        offset: z.int().min(0).default(0),
      }),
      output: LIST_OUTPUT,
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      effects: () => readsAll(repository.mounts()),
      async run({ path, limit, offset }) {
        const notes = await repository.listNotes(path);
        return { notes: notes.slice(offset, offset + limit).map(toListed), total: notes.length };
      },
      toText: notesText,
    }),
  ];
}

function selectSection(note: ReadNote, section: readonly string[]): string {
  if (section.length === 0) return note.text;
  const { start, end } = findSection(note.text, note, section);
  return note.text.slice(start, end);
}

function selectLines(text: string, offset = 1, limit = Number.MAX_SAFE_INTEGER): string {
  if (offset === 1 && limit === Number.MAX_SAFE_INTEGER) return text;
  const lines = countLines(text);
  if (offset <= Math.max(1, lines)) return sliceLines(text, offset, limit);
  throw new IkigaiError("invalid_input", `There are ${lines} lines, so none from line ${offset} on`, {
    hint: `Use an offset from 1 to ${Math.max(1, lines)}.`,
  });
}

/** A range that is given by its first and last line, as it was before it had an offset and a limit. */
function modernRange(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { start = 1, end, ...rest } = args;
  const isOlder = "start" in args || "end" in args;
  if (!isOlder || "offset" in args || "limit" in args || typeof start !== "number") return args;
  return { ...rest, offset: start, ...(typeof end === "number" && { limit: end - start + 1 }) };
}
