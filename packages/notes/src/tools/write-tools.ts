import { type AnyTool, defineTool } from "@ikigai/core";
import { oncePerInput } from "@ikigai/core/host";
import { z } from "zod";
import type { NoteToolsContext } from "./create-note-tools.ts";
import { DELETED_OUTPUT, WRITTEN_OUTPUT } from "./outputs.ts";
import { callOf } from "./support.ts";

const SHOWN = 10;

/** create_note and delete_note. */
export function createWriteTools({ repository, seen }: NoteToolsContext): readonly AnyTool[] {
  const place = oncePerInput(async (input) => {
    const { name, folder } = input as { name: string; folder?: string };
    return repository.locate(name, folder);
  });
  const pin = oncePerInput(async (input) => repository.resolver.resolve((input as { name: string }).name));

  return [
    defineTool({
      name: "create_note",
      title: "Create a note",
      description: "Creates a note with the given text, never over an existing one. Returns its address and version.",
      input: z.strictObject({
        name: z.string().min(1).describe("Note name (without extension), or an address such as ikigai:///notes/New"),
        content: z.string().describe("Note content in Markdown format"),
        folder: z.string().optional().describe("Folder for the note, such as projects/work, or an address"),
      }),
      output: WRITTEN_OUTPUT,
      annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
      effects: async (input) => [{ action: "create", target: (await place(input)).uri }],
      preview: async (input) => ({ description: `Create ${(await place(input)).uri}`, after: input.content }),
      async run(input, context) {
        const { uri, version } = await repository.createNote(await place(input), input.content, callOf(context));
        seen.noteWritten(context, uri, version);
        return { name: input.name, uri, version };
      },
    }),
    defineTool({
      name: "delete_note",
      title: "Delete a note",
      description: "Deletes a note. Links to it stay and lead nowhere afterwards; they are listed in the answer.",
      input: z.strictObject({ name: z.string().min(1).describe("Note name or wikilink to delete") }),
      output: DELETED_OUTPUT,
      annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
      effects: async (input) => [{ action: "delete", target: (await pin(input)).uri }],
      async preview(input, context) {
        const location = await pin(input);
        const { backlinks } = await repository.getMetadata(location, callOf(context));
        const note = await repository.readNote(location.uri, callOf(context));
        const names = backlinks.slice(0, SHOWN).map(({ name }) => name);
        return {
          description: `Delete ${location.uri}`,
          before: note.text,
          ...(names.length > 0 && {
            warning: `${backlinks.length} notes link to it, and those links will break: ${names.join(", ")}${backlinks.length > SHOWN ? ", …" : ""}`,
          }),
        };
      },
      async run(input, context) {
        const location = await pin(input);
        const { backlinks } = await repository.getMetadata(location, callOf(context));
        await repository.deleteNote(location, { ...callOf(context), expected: location.version });
        return { uri: location.uri, deleted: true, broken_links: backlinks.map(({ uri, count }) => ({ uri, count })) };
      },
    }),
  ];
}
