import { type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import { oncePerInput } from "@ikigai/core/host";
import { z } from "zod";
import { appendText, findReplace, replaceBody, replaceSection } from "../note/edit-body.ts";
import { editProperties } from "../note/edit-properties.ts";
import type { NoteToolsContext } from "./create-note-tools.ts";
import { WRITTEN_OUTPUT } from "./outputs.ts";
import { callOf } from "./support.ts";

const INPUT = z.strictObject({
  name: z.string().min(1).describe("Note name or wikilink to update"),
  content: z.string().optional().describe("New content in Markdown format"),
  mode: z
    .enum(["replace", "append", "section", "find_replace"])
    .default("replace")
    .describe("replace: the whole body; append: at the end; section: below a heading; find_replace: old by new"),
  section: z.string().min(1).optional().describe("Heading, or Heading#Sub, or ^block, for mode section"),
  old: z.string().min(1).optional().describe("Text to find, which must occur once, for mode find_replace"),
  new: z.string().optional().describe("Its replacement"),
  properties: z
    .record(z.string().min(1), z.unknown())
    .optional()
    .describe("Front matter keys to set; null removes one"),
  expected: z.string().optional().describe("Version that read_note returned, when it was read elsewhere"),
});

type UpdateInput = z.infer<typeof INPUT>;
type Edit = (text: string) => string;

/** update_note. */
export function createUpdateTool({ repository, seen }: NoteToolsContext): AnyTool {
  const pin = oncePerInput(async (input) => repository.resolver.resolve((input as UpdateInput).name));

  return defineTool({
    name: "update_note",
    title: "Update a note",
    description:
      "Changes a note: its whole body, one section, an addition at the end, or one piece of text; and keys of its front " +
      "matter. Replacing the whole body needs a prior read_note in this conversation.",
    input: INPUT,
    output: WRITTEN_OUTPUT,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async effects(input) {
      editOf(input);
      const action = input.mode === "append" && input.properties === undefined ? "append" : "update";
      return [{ action, target: (await pin(input)).uri }];
    },
    async preview(input, context) {
      const { uri } = await pin(input);
      const { text } = await repository.readNote(uri, callOf(context));
      return { description: `Update ${uri}`, before: text, after: editOf(input)(text) };
    },
    async run(input, context) {
      const { uri } = await pin(input);
      const edit = editOf(input);
      const overwrites = input.mode === "replace" && input.content !== undefined;
      const known = input.expected ?? (overwrites ? seen.last(context, uri) : undefined);
      if (overwrites && known === undefined) throw unseen(uri);
      const { version, changed, replaced } = await repository.updateNote({ uri }, edit, {
        ...callOf(context),
        ...(known !== undefined && { expected: known }),
      });
      seen.noteWritten(context, uri, version, replaced);
      return { uri, version, changed };
    },
  });
}

/** The edit that an input asks for. Contract: `invalid_input` for fields that do not fit its mode. */
function editOf(input: UpdateInput): Edit {
  const { properties } = input;
  const body = bodyEditOf(input);
  if (body === undefined && properties === undefined) throw misfit("content or properties must be given");
  return (text) => {
    const edited = body === undefined ? text : body(text);
    return properties === undefined ? edited : editProperties(edited, properties);
  };
}

function bodyEditOf({ mode, content, section, old, new: wanted }: UpdateInput): Edit | undefined {
  if (mode !== "section" && section !== undefined) throw misfit('section belongs to mode "section"');
  if (mode === "find_replace") {
    if (content !== undefined) throw misfit('mode "find_replace" takes old and new, not content');
    if (old === undefined || wanted === undefined) throw misfit('mode "find_replace" needs old and new');
    return (text) => findReplace(text, old, wanted);
  }
  if (old !== undefined || wanted !== undefined) throw misfit('old and new belong to mode "find_replace"');
  if (mode === "section") {
    if (section === undefined || content === undefined) throw misfit('mode "section" needs section and content');
    return (text) => replaceSection(text, section, content);
  }
  if (content === undefined) {
    if (mode === "append") throw misfit('mode "append" needs content');
    return undefined;
  }
  return mode === "append" ? (text) => appendText(text, content) : (text) => replaceBody(text, content);
}

function misfit(problem: string): IkigaiError {
  return new IkigaiError("invalid_input", `update_note: ${problem}`, {
    hint: "Give content for replace, append and section, a section for section, old and new for find_replace.",
  });
}

function unseen(uri: string): IkigaiError {
  return new IkigaiError("conflict", `${uri} was not read in this conversation, so its text cannot be replaced`, {
    hint: "Read it with read_note first, or use mode append, section or find_replace.",
    details: { error_type: "conflict", note_name: uri },
  });
}
