import { type Actor, type Effect, IkigaiError, type Preview } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import { type BlockService, blockTarget } from "../blocks/blocks.ts";
import type { BlockMetadata } from "./block-metadata.ts";
import type { OperationFields } from "./operation-fields.ts";

/** What can be done with a block and the text that it came from, whichever source holds it. */
export const SOURCE_OPERATIONS = {
  save: "Write the block's text back to the source that it was loaded from; conflict if the source changed meanwhile.",
  diff: "Compare the block with what its source holds now.",
  reload: "Take the source's text and drop edits that are not saved; undo brings them back.",
  merge: "Bring the source's changes and the block's edits together.",
} as const;

export type SourceOperation = keyof typeof SOURCE_OPERATIONS;

export const SOURCE_OPERATION_FIELDS: Readonly<Record<SourceOperation, OperationFields>> = {
  save: { required: ["label"] },
  diff: { required: ["label"] },
  reload: { required: ["label"] },
  merge: { required: ["label"] },
};

export function isSourceOperation(op: string): op is SourceOperation {
  return Object.hasOwn(SOURCE_OPERATIONS, op);
}

interface Saving {
  readonly uri: string;
  readonly before: string | undefined;
  readonly after: string;
}

export interface BlockSourceOperations {
  effects(op: SourceOperation, place: string, actor: Actor): Promise<readonly Effect[]>;
  /** What a save would change. */
  preview(place: string, actor: Actor): Promise<Preview>;
  run(op: SourceOperation, place: string, actor: Actor): Promise<BlockMetadata>;
}

export function createBlockSourceOperations(blocks: BlockService, sources: SourceManager): BlockSourceOperations {
  async function originOf(place: string, actor: Actor): Promise<{ readonly label: string; readonly uri: string }> {
    const { label, origin } = await blocks.info(place, actor);
    if (origin !== undefined) return { label, uri: origin.uri };
    throw new IkigaiError("not_found", `The block "${label}" was not loaded from a source`, {
      hint: "Write its text with file_write, or load a text first.",
    });
  }

  async function savingOf(place: string, actor: Actor): Promise<Saving> {
    const { label, uri } = await originOf(place, actor);
    const { source, address } = sources.route(uri);
    const before = (await source.read(address.path, { actor }))?.text;
    return { uri, before, after: await blocks.text(label, actor) };
  }

  return {
    async effects(op, place, actor) {
      if (op === "save") {
        const { uri, before, after } = await savingOf(place, actor);
        return [{ action: before !== undefined && after.startsWith(before) ? "append" : "update", target: uri }];
      }
      const { label, uri } = await originOf(place, actor);
      const reads: Effect = { action: "read", target: uri };
      return op === "diff" ? [reads] : [reads, { action: "update", target: blockTarget(label) }];
    },
    async preview(place, actor) {
      const { uri, before, after } = await savingOf(place, actor);
      return { description: `Save the block to ${uri}`, ...(before !== undefined && { before }), after };
    },
    async run(op, place, actor) {
      if (op === "save") return blocks.save(place, actor);
      if (op === "reload") return blocks.reload(place, actor);
      if (op === "merge") return blocks.reconcile(place, "merge", actor);
      return { ...(await blocks.info(place, actor)), diff: await blocks.diff(place, actor) };
    },
  };
}
