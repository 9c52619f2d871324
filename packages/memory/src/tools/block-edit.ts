import { type AnyTool, defineTool, type Effect, type PlanContext } from "@ikigai/core";
import { type BlockEdit, createPlanner } from "@ikigai/core/host";
import { z } from "zod";
import { assertNoNul } from "../text/assert-no-nul.ts";
import { type BlockService, blockTarget } from "../blocks/blocks.ts";
import { callOptions } from "../files/file-access.ts";
import { changedSinceJudged } from "./judged-effects.ts";
import { modernRange } from "./line-range.ts";
import { assertOperationFields, type OperationFields } from "./operation-fields.ts";

const operations = {
  append: "Add content at the end of a text, one item to a list, or one entry to a log.",
  replace:
    "Replace old by new in a text. mode first (default) wants exactly one match; all; nth with nth; regex takes old as " +
    "an RE2 pattern and $1 in new as its groups.",
  patch: "Apply a unified diff to a text. Line numbers may be off; context lines must stand there.",
  set_field: "Set field of a map to value, or a section, or section.field, of a composite; null resets a field.",
  edit_range: "Replace limit lines of a text, or items of a list, from offset on by content; limit 0 inserts.",
  undo: "Take the last edit back.",
  redo: "Make the last undone edit again.",
} as const;

type Op = keyof typeof operations;

const OPS = Object.keys(operations) as [Op, ...Op[]];

const fields: Readonly<Record<Op, OperationFields>> = {
  append: { required: ["label", "content"] },
  replace: { required: ["label", "old", "new"], optional: ["mode", "nth"] },
  patch: { required: ["label", "patch"] },
  set_field: { required: ["label", "field", "value"] },
  edit_range: { required: ["label", "offset", "limit", "content"] },
  undo: { required: ["label"] },
  redo: { required: ["label"] },
};

const input = z.strictObject({
  op: z.enum(OPS),
  label: z.string().min(1).describe("The block's label, or the path or address that its text comes from"),
  content: z.string().optional().describe("append, edit_range: the new text"),
  old: z.string().optional().describe("replace: the text to replace, exactly as it stands, or a pattern"),
  new: z.string().optional().describe("replace: what stands there afterwards"),
  mode: z.enum(["first", "all", "nth", "regex"]).optional().describe("replace: which matches"),
  nth: z.int().min(1).optional().describe("replace: which match, counted from 1"),
  field: z.string().optional().describe("set_field: the field, the section, or section.field"),
  value: z.unknown().optional().describe("set_field: the new value"),
  patch: z.string().optional().describe("patch: a unified diff"),
  offset: z.int().min(1).optional().describe("edit_range: the first line or item, counted from 1"),
  limit: z.int().min(0).optional().describe("edit_range: how many lines or items"),
});

const output = z.strictObject({ label: z.string(), version: z.string(), undo: z.int(), redo: z.int() });

type Input = z.output<typeof input>;

/** What these operations change depends on the whole of the text, so they hold for the version that was judged. */
const BY_POSITION: ReadonlySet<Op> = new Set<Op>(["edit_range", "undo", "redo"]);

/** The content of blocks, with edits that follow each block's schema. */
export function createBlockEditTool({ blocks }: { readonly blocks: BlockService }): AnyTool {
  const planner = createPlanner(async (call: Input, context: PlanContext) => {
    toEdit(call);
    const info = await blocks.info(call.label, callOptions(context).actor);
    const effect: Effect = { action: call.op === "append" ? "append" : "update", target: blockTarget(info.label) };
    return { effects: [effect], work: () => info };
  });
  return defineTool({
    name: "block_edit",
    title: "Edit a block",
    description:
      "Changes the content of a block that is loaded. Gives its new version and how many steps can be undone and " +
      "redone. The text in the source stays as it is until the block is saved.",
    input,
    output,
    modernise: (args) => modernRange(args, { first: "start", last: "end" }),
    operations,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: planner.effects,
    async preview(call, context) {
      const texts = await blocks.previewEdit(call.label, toEdit(call), callOptions(context).actor);
      return { description: `${call.op} in the block ${call.label}`, ...texts };
    },
    async run(call, context) {
      const { actor } = callOptions(context);
      const judged = await planner.work(call, context);
      const present = await blocks.info(judged.label, actor);
      if (present.owner !== judged.owner || (BY_POSITION.has(call.op) && present.version !== judged.version)) {
        throw changedSinceJudged(`The block "${judged.label}" was changed since its ${call.op} was judged`);
      }
      const edited = await blocks.edit(judged.label, toEdit(call), actor);
      return { label: edited.label, version: edited.version, undo: edited.undo, redo: edited.redo };
    },
  });
}

/** Contract: throws `invalid_input` unless the call has exactly the fields of its operation. */
function toEdit(call: Input): BlockEdit {
  assertOperationFields("block_edit", call, fields);
  const { label, ...edit } = call;
  assertNoNul(`The new text of "${label}"`, { ...edit, old: undefined });
  const { offset = 0, limit = 0, ...rest } = edit;
  return (edit.op === "edit_range" ? { ...rest, start: offset, end: offset + limit - 1 } : edit) as BlockEdit;
}
