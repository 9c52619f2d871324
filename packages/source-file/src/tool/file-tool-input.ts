import { z } from "zod";

/** What each operation of the tool does, as the model reads it. */
export const FILE_OPERATIONS = {
  load: "read the file at path from disk into a working block; refuses to drop unsaved edits",
  save: "write the block of path or label back to disk; a conflict when the file changed there meanwhile",
  create: "create a new file at path with content (default empty) and load it; never overwrites",
  delete: "delete the file at path from disk; the block and its history stay",
  append: "append content to the loaded block of path; save to write it to disk",
  replace: "replace old, which must occur exactly once, by new in the loaded block of path; save to write it to disk",
  list: "list files that match the glob pattern (default *) in the folder path (default the root); recursive looks into folders too",
  status: "how the loaded block of path or label, or every loaded block, stands against the disk",
  diff: "unified diff from the file on disk to the block of path or label",
  reload: "take the file from disk again and drop the block's unsaved edits; they can be undone",
  merge: "bring what changed in the file on disk and the block's unsaved edits together in the block; save to write it",
} as const;

export type FileOperation = keyof typeof FILE_OPERATIONS;

const operations = Object.keys(FILE_OPERATIONS) as [FileOperation, ...FileOperation[]];

/** The tool's input: one operation, and the fields that it takes. */
export interface FileToolInput {
  readonly op: FileOperation;
  readonly path?: string | undefined;
  readonly label?: string | undefined;
  readonly content?: string | undefined;
  readonly old?: string | undefined;
  readonly new?: string | undefined;
  readonly pattern?: string | undefined;
  readonly recursive?: boolean | undefined;
}

export const fileToolInput: z.ZodType<FileToolInput> = z.strictObject({
  op: z.enum(operations),
  path: z.string().optional().describe("Path of the file, relative to the root; for list, the folder to look in"),
  label: z
    .string()
    .optional()
    .describe("Label of a loaded block, instead of path, for save, status, diff, reload and merge"),
  content: z.string().optional().describe("For create and append"),
  old: z.string().optional().describe("For replace: the exact text to find"),
  new: z.string().optional().describe("For replace: the text to put there"),
  pattern: z.string().optional().describe("For list: a glob such as *.ts or src/**/*.md"),
  recursive: z.boolean().optional().describe("For list: also look into folders. Default false"),
});

/** What the operations answer: a block's state, unless a field here says otherwise. */
export const fileToolOutput: z.ZodType = z.looseObject({
  label: z.string().optional(),
  blocks: z
    .array(z.looseObject({ label: z.string() }))
    .optional()
    .describe("status"),
  diff: z.string().optional().describe("diff"),
  deleted: z.string().optional().describe("delete"),
});
