import {
  type Actor,
  type AnyTool,
  type BlockReader,
  type Blocks,
  defineTool,
  type Effect,
  type PlanContext,
  type Preview,
} from "@ikigai/core";
import {
  FILE_OPERATIONS,
  type FileOperation,
  type FileToolInput,
  fileToolInput,
  fileToolOutput,
} from "./file-tool-input.ts";
import { type FileNames, planFileCall } from "./file-tool-plan.ts";
import { findFiles, type Lister } from "./find-files.ts";

export interface FileToolParts {
  readonly name: string;
  readonly names: FileNames;
  readonly blocks: Blocks;
  readonly source: Pick<BlockReader, "read">;
  /** Whether anything lies at the path. */
  readonly exists: (path: string) => Promise<boolean>;
  readonly list: Lister;
}

type Operation = (blocks: Blocks, place: string, input: FileToolInput, actor: Actor) => Promise<unknown>;

const OPERATIONS: Readonly<Record<Exclude<FileOperation, "list">, Operation>> = {
  load: (blocks, place, _input, actor) => blocks.load(place, actor),
  save: (blocks, place, _input, actor) => blocks.save(place, actor),
  create: (blocks, place, { content = "" }, actor) => blocks.create(place, content, actor),
  async delete(blocks, place, _input, actor) {
    await blocks.remove(place, actor);
    return { deleted: place };
  },
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
export function createFileTool({ name, names, blocks, source, exists, list }: FileToolParts): AnyTool {
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
    effects: (input, context) => effectsOf(input, context),
    preview: (input, context) => previewOf(input, context),
    async run(input, context) {
      const { op, pattern, recursive } = input;
      const { place, folder } = planFileCall(input, names);
      if (op === "list") {
        const request = { folder: folder ?? "", pattern: pattern ?? "*", recursive: recursive ?? false };
        return findFiles({ ...request, signal: context.signal }, list);
      }
      if (place === undefined) return { blocks: await blocks.status({ mount: names.mount }, context) };
      return OPERATIONS[op](blocks, place, input, context);
    },
  });

  /** What the call would do to the disk as it is now. */
  async function effectsOf(input: FileToolInput, { signal }: PlanContext): Promise<readonly Effect[]> {
    const { effects } = planFileCall(input, names);
    if (input.op !== "create" && input.op !== "save") return effects;
    return Promise.all(
      effects.map(async (effect) => {
        // What cannot be read is refused by the call itself.
        const there = await isThere(input.op, pathOf(effect.target), signal).catch(() => undefined);
        if (there === undefined) return effect;
        return { action: there ? ("update" as const) : ("create" as const), target: effect.target };
      }),
    );
  }

  async function isThere(op: FileOperation, path: string, signal: AbortSignal): Promise<boolean> {
    // Somebody who is saving may have taken the name away for a moment; reading waits for that.
    return (op === "save" && (await exists(path))) || (await source.read(path, { signal })) !== undefined;
  }

  function pathOf(target: string): string {
    return target.slice(`${names.mount}:///`.length);
  }

  /** The text on disk, and the text that would be there. */
  async function previewOf(input: FileToolInput, context: PlanContext): Promise<Preview> {
    const { place, effects } = planFileCall(input, names);
    const target = effects.map((effect) => effect.target).join(", ");
    const description = `${name} ${input.op} ${target}`;
    if (place === undefined || !CHANGES_DISK.has(input.op)) return { description };
    const before = await source.read(pathOf(target), { signal: context.signal });
    const after = input.op === "save" ? await blocks.text(place, context) : input.content;
    return { description, ...(before && { before: before.text }), ...(after !== undefined && { after }) };
  }
}
