import { type AnyTool, defineTool } from "@ikigai/core";
import { oncePerInput } from "@ikigai/core/host";
import { z } from "zod";
import type { NoteLocation } from "../repository/knowledge-repository.ts";
import type { NoteToolsContext } from "./create-note-tools.ts";
import { WRITTEN_OUTPUT } from "./outputs.ts";
import { callOf } from "./support.ts";

interface Plan {
  readonly from: NoteLocation;
  readonly to: NoteLocation;
  readonly touched: readonly string[];
}

/** rename_note. */
export function createRenameTool({ repository, seen }: NoteToolsContext): AnyTool {
  const plan = oncePerInput(async (input): Promise<Plan> => {
    const { name, new_name: wanted, folder } = input as { name: string; new_name: string; folder?: string };
    const from = await repository.resolver.resolve(name);
    const to = await repository.locate(wanted, folder ?? (wanted.includes("/") ? undefined : from.folder));
    return { from, to, touched: await repository.renameTouches(from, to) };
  });

  return defineTool({
    name: "rename_note",
    title: "Rename or move a note",
    description:
      "Gives a note another name or folder and rewrites all links to it, in every note, all or none. Returns the new " +
      "address and the notes whose links changed.",
    input: z.strictObject({
      name: z.string().min(1).describe("Note name or wikilink to rename"),
      new_name: z.string().min(1).describe("New name (without extension), or an address"),
      folder: z.string().optional().describe("New folder; without it the note stays where it is"),
    }),
    output: WRITTEN_OUTPUT,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async effects(input) {
      const { from, to, touched } = await plan(input);
      return [
        { action: "create", target: to.uri },
        { action: "delete", target: from.uri },
        ...touched.map((target) => ({ action: "update" as const, target })),
      ];
    },
    async preview(input) {
      const { from, to, touched } = await plan(input);
      return { description: `Rename ${from.uri} to ${to.uri}`, count: touched.length + 1 };
    },
    async run(input, context) {
      const { from, to, touched } = await plan(input);
      const approved = new Set(touched);
      const renamed = await repository.renameNote(from, to, {
        ...callOf(context),
        async permit(uris) {
          const more = uris.filter((uri) => !approved.has(uri));
          if (more.length > 0) await context.permit(more.map((target) => ({ action: "update", target })));
        },
      });
      seen.noteWritten(context, renamed.to, renamed.version);
      const { from: old, to: uri, version, rewritten, unwritable } = renamed;
      return { from: old, uri, version, rewritten, ...(unwritable.length > 0 && { not_rewritten: unwritable }) };
    },
  });
}
