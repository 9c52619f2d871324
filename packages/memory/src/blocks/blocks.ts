import type { Blocks } from "@ikigai/core";
import { permissionOpinion, type PolicyLayer } from "@ikigai/core/host";
import { findBlock, permissionFor } from "./block-access.ts";
import { type BlockContents, createBlockContents } from "./block-contents.ts";
import { type BlocksOptions, createBlockOperations } from "./block-operations.ts";
import { type BlockSources, createBlockSources } from "./sources/block-sources.ts";
import type { AskReconcile } from "./sources/reconcile-block.ts";

/** Everything that can be done with blocks. */
export interface BlockService extends Blocks, BlockContents, BlockSources {
  /** What the blocks' permissions say of effects on `block:///LABEL`, with the asking that `human` and `partner` need. */
  readonly policyLayer: PolicyLayer;
}

export interface CreateBlocksOptions extends BlocksOptions {
  /** Decides for the strategy `ask`. Absent: such a reconcile is a `conflict`. */
  readonly ask?: AskReconcile;
  /**
   * What a load of a block with unsaved edits, and a save, do when the source changed: `refuse` with `conflict`, or
   * `merge` both, and then save. A source that was removed is refused either way. Default `refuse`.
   */
  readonly whenStale?: "refuse" | "merge";
}

/** The address of a block, as an effect names it. */
export const blockTarget = (label: string): string => `${BLOCK_PREFIX}${label}`;

const BLOCK_PREFIX = "block:///";

/**
 * Blocks over any mounted source.
 *
 * Contract: what a block's permission denies is refused on every path. What it wants a person to be asked about is asked
 * by the policy before a call, so a host that has such blocks adds `policyLayer` to it.
 */
export function createBlocks(options: CreateBlocksOptions): BlockService {
  const { sources, store } = options;
  const operations = createBlockOperations(options);
  return {
    ...createBlockContents(operations),
    ...createBlockSources(operations, options),
    policyLayer: {
      name: "block",
      async judge({ action, target }, facts) {
        if (!target.startsWith(BLOCK_PREFIX)) return undefined;
        const label = target.slice(BLOCK_PREFIX.length);
        const visible = await findBlock(label, { ...facts, callId: "" }, store, sources);
        return visible && permissionOpinion(permissionFor(visible, sources), action, target);
      },
    },
  };
}
