import { type Actor, type AnyTool, type Blocks, defineTool, type PlanContext, type Preview } from "@ikigai/core";
import {
  FILE_OPERATIONS,
  type FileOperation,
  type FileToolInput,
  fileToolInput,
  fileToolOutput,
} from "./file-tool-input.ts";
import { planFileCall } from "./file-tool-plan.ts";
import { createFileCallJudge, type FileCallJudgeParts } from "./file-call-judge.ts";
import { findFiles, type Lister } from "../list/find-files.ts";

export interface FileToolParts extends FileCallJudgeParts {
  readonly list: Lister;
}

type Operation = (blocks: Blocks, place: string, input: FileToolInput, actor: Actor) => Promise<unknown>;

const OPERATIONS: Readonly<Record<Exclude<FileOperation, "list" | "delete">, Operation>> = {
  load: (blocks, place, _input, actor) => blocks.load(place, actor),
  save: (blocks, place, _input, actor) => blocks.save(place, actor),
  create: (blocks, place, { content = "" }, actor) => blocks.create(place, content, actor),
  append: (blocks, place, { content = "" }, actor) => blocks.edit(place, { op: "append", content }, actor),
  replace: (blocks, place, { old = "", new: text = "" }, actor) =>
    blocks.edit(place, { op: "replace", old, new: text }, actor),
  status: async (blocks, place, _input, actor) => ({ blocks: await blocks.status({ place }, actor) }),
  diff: async (blocks, place, _input, actor) => ({ diff: await blocks.diff(place, actor) }),
  reload: (blocks, place, _input, actor) => blocks.reload(place, actor),
  merge: (blocks, place, _input, actor) => blocks.reconcile(place, "merge", actor),
};

const CHANGES_DISK: ReadonlySet<FileOperation> = new Set(["save", "create", "delete"]);

/** The tool over the files of one mount. Editing works on blocks; only save, create and delete change the disk. */
export function createFileTool(parts: FileToolParts): AnyTool {
  const { name, names, blocks, source, list } = parts;
  const judge = createFileCallJudge(parts);
  return defineTool({
    name,
    title: "Files on disk",
    description:
      `Moves text between files of ${names.mount}:/// and working blocks, and edits the blocks. ` +
      "Load a file first, edit it, look at the diff, then save. A save answers conflict when the file changed on disk.",
    input: fileToolInput,
    output: fileToolOutput,
    operations: FILE_OPERATIONS,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    effects: (input, context) => judge.effects(input, context),
    preview: (input, context) => previewOf(input, context),
    async run(input, context) {
      const { op, pattern, recursive } = input;
      const { place, folder } = planFileCall(input, names);
      const expected = await judge.assertStillSo(input, context);
      if (op === "list") {
        const request = { folder: folder ?? "", pattern: pattern ?? "*", recursive: recursive ?? false };
        return findFiles({ ...request, signal: context.signal }, list);
      }
      if (place === undefined) return { blocks: await blocks.status({ mount: names.mount }, context) };
      if (op === "delete") {
        await blocks.remove(place, context, expected === undefined ? {} : { expected });
        return { deleted: place };
      }
      return OPERATIONS[op](blocks, place, input, context);
    },
  });

  /** The text on disk, and the text that would be there. */
  async function previewOf(input: FileToolInput, context: PlanContext): Promise<Preview> {
    const { place, effects } = planFileCall(input, names);
    const target = effects[0]?.target ?? "";
    const description = `${name} ${input.op} ${target}`;
    if (place === undefined || !CHANGES_DISK.has(input.op)) return { description };
    const before = await source.read(target.slice(`${names.mount}:///`.length), { signal: context.signal });
    const after = input.op === "save" ? await blocks.text(place, context) : input.content;
    return { description, ...(before && { before: before.text }), ...(after !== undefined && { after }) };
  }
}
