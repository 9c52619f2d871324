import type { BlockInfo } from "@ikigai/core";
import { z } from "zod";

const metadata = {
  label: z.string(),
  type: z.string(),
  schema: z.string(),
  permission: z.string(),
  pinned: z.boolean(),
  owner: z.string(),
  chars: z.int(),
  lines: z.int(),
  version: z.string(),
  undo: z.int(),
  redo: z.int(),
  modified: z.boolean(),
  origin: z.strictObject({ uri: z.string(), version: z.string() }).optional(),
  content: z.string().optional(),
  diff: z.string().optional(),
};

/** A block's metadata as a model sees it, with the text or the diff when it was asked for. */
export type BlockMetadata = BlockInfo & { readonly content?: string; readonly diff?: string };

export function blockMetadataSchema(): z.ZodObject {
  return z.strictObject(metadata);
}
