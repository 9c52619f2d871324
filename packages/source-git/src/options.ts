import { z } from "zod";

/** What a repository is mounted with. */
export interface GitSourceOptions {
  /** A folder inside the repository's work tree, or a bare repository. */
  readonly repository: string;
  /** A branch, a tag or a commit. Default `HEAD`. A branch is followed: each call sees its newest commit. */
  readonly ref?: string | undefined;
  /** The folder of the tree that paths are relative to. Default: its root. */
  readonly folder?: string | undefined;
  /** Larger files are listed and not read. In bytes; default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many states of a path its history goes back. Default 100. */
  readonly maxHistory?: number | undefined;
  /** Milliseconds a git command may take. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** Nothing that git would take for an option, a range or more than one word. */
// oxlint-disable-next-line no-control-regex
const REF = /^(?![-:^])(?!.*\.\.)[^\0-\x20\x7f~^:?*[\\]+(?:[~^][0-9]*)*$/;

export const gitSourceOptions: z.ZodType<GitSourceOptions> = z.strictObject({
  repository: z.string().min(1),
  ref: z.string().max(256).regex(REF, "must be the name of a branch, tag or commit").optional(),
  folder: z
    .string()
    .regex(/^(?!\/)(?!(?:.*\/)?\.\.?(?:\/|$))[^\0\\]+$/, "must be a folder of the tree, such as docs")
    .optional(),
  maxBytes: z.int().positive().optional(),
  maxHistory: z.int().positive().max(10_000).optional(),
  timeoutMs: z.int().positive().optional(),
});
