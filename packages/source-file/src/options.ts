import { PERMISSION_ORDER, TOOL_NAME } from "@ikigai/core/host";
import { z } from "zod";
import type { FileRule } from "./rules.ts";

/** How changes on disk reach an agent: not at all, as a notice, or merged into loaded blocks. Acted on by the host. */
export type WatchMode = "off" | "notify" | "merge";

/** What a folder on disk is mounted with. */
export interface FileSourceOptions {
  /** The folder. Absolute, or relative to the current one. */
  readonly root: string;
  /** Which paths are open to what; the first match counts. Default: everything is `read_write`. */
  readonly rules?: readonly FileRule[] | undefined;
  /** Larger files are neither read nor written. In bytes; default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** Whether `.gitignore` files hide paths from lists and watchers. Default true. */
  readonly gitignore?: boolean | undefined;
  /** More patterns to hide, in the syntax of `.gitignore`. */
  readonly ignore?: readonly string[] | undefined;
  /** Default `off`. */
  readonly watch?: WatchMode | undefined;
  /** The name of the tool, or false for none. Default `file`; none for the mount `host`. */
  readonly tool?: string | false | undefined;
}

export const DEFAULT_MAX_BYTES: number = 10 * 1024 * 1024;

const permission = z.enum(PERMISSION_ORDER, "must be read_only, partner, human, append, read_write or admin");

export const fileSourceOptions: z.ZodType<FileSourceOptions> = z.strictObject({
  root: z.string().min(1),
  rules: z.array(z.strictObject({ glob: z.string(), permission, from: z.string().optional() })).optional(),
  maxBytes: z.int().positive().optional(),
  gitignore: z.boolean().optional(),
  ignore: z.array(z.string()).optional(),
  watch: z.enum(["off", "notify", "merge"]).optional(),
  tool: z.union([z.string().regex(TOOL_NAME), z.literal(false)]).optional(),
});
