import { type AnyTool, defineTool, type ToolContext } from "@ikigai/core";
import { oncePerInput } from "@ikigai/core/host";
import { z } from "zod";
import { requireTag } from "../note/edit-tags.ts";
import type { WrittenNote } from "../repository/knowledge-repository.ts";
import type { NoteToolsContext } from "./create-note-tools.ts";
import { tagsText } from "./note-text.ts";
import { TAGS_OUTPUT, WRITTEN_OUTPUT } from "./outputs.ts";
import { callOf, readsAll } from "./support.ts";

const NAME = z.string().min(1).describe("Note name or wikilink");

/** list_tags, add_tag and remove_tag. */
export function createTagTools({ repository, seen }: NoteToolsContext): readonly AnyTool[] {
  const pin = oncePerInput(async (input) => {
    const { name, tag } = input as { name: string; tag: string };
    requireTag(tag);
    return repository.resolver.resolve(name);
  });
  const effects = async (input: object): Promise<readonly { action: "update"; target: string }[]> => [
    { action: "update", target: (await pin(input)).uri },
  ];
  /** What a call wrote, as the model hears of it. */
  const tell = (context: ToolContext, { uri, version, changed, replaced }: WrittenNote): object => {
    seen.noteWritten(context, uri, version, replaced);
    return { uri, version, changed };
  };

  return [
    defineTool({
      name: "list_tags",
      title: "List tags",
      description: "Every tag with the number of notes that have it or one below it, and its parent.",
      input: z.strictObject({
        limit: z.int().min(1).max(10_000).default(500),
        offset: z.int().min(0).default(0),
      }),
      output: TAGS_OUTPUT,
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      effects: () => readsAll(repository.mounts()),
      async run({ limit, offset }) {
        const tags = await repository.listAllTags();
        return { tags: tags.slice(offset, offset + limit), total: tags.length };
      },
      toText: tagsText,
    }),
    defineTool({
      name: "add_tag",
      title: "Tag a note",
      description: "Adds a tag to a note's front matter; a note that has the tag stays as it is.",
      input: z.strictObject({ name: NAME, tag: z.string().min(1).describe("Tag, with or without #") }),
      output: WRITTEN_OUTPUT,
      annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
      effects,
      run: async (input, context) =>
        tell(context, await repository.addTag(await pin(input), input.tag, callOf(context))),
    }),
    defineTool({
      name: "remove_tag",
      title: "Untag a note",
      description: "Takes a tag out of a note's front matter and text. Tags below it stay.",
      input: z.strictObject({ name: NAME, tag: z.string().min(1).describe("Tag to remove") }),
      output: WRITTEN_OUTPUT,
      annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
      effects,
      run: async (input, context) =>
        tell(context, await repository.removeTag(await pin(input), input.tag, callOf(context))),
    }),
  ];
}
