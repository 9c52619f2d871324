import type { AnyTool } from "@ikigai/core";
import { type BlockToolsOptions, createBlockTool } from "./block.ts";
import { createBlockEditTool } from "./block-edit.ts";
import { createSourceTool, type SourceToolOptions } from "./source.ts";

export interface CreateBlockToolsOptions extends BlockToolsOptions, Pick<SourceToolOptions, "watching"> {}

/** `block`, `block_edit` and `source`. */
export function createBlockTools({ blocks, sources, watching }: CreateBlockToolsOptions): readonly AnyTool[] {
  return [
    createBlockTool({ blocks, sources }),
    createBlockEditTool({ blocks }),
    createSourceTool({ sources, blocks, ...(watching !== undefined && { watching }) }),
  ];
}
