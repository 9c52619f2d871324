import { z } from "zod";

/** Which table holds the documents. */
export interface SqliteSourceOptions {
  /** The database file. */
  readonly file: string;
  /** Default `documents`. */
  readonly table?: string | undefined;
  /** The column with a document's path: a primary key, or unique. Default `path`. */
  readonly pathColumn?: string | undefined;
  /** The column with a document's text. Default `text`. */
  readonly textColumn?: string | undefined;
  /** Makes the file and the table when they are missing. Default false. */
  readonly create?: boolean | undefined;
  /** Larger texts are neither read nor written. In bytes; default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds to wait while another program writes. Default 2,000. */
  readonly busyMs?: number | undefined;
}

const name = z
  .string()
  .min(1)
  .max(128)
  .refine((text) => !text.includes("\0"), "must not contain a NUL character");

export const sqliteSourceOptions: z.ZodType<SqliteSourceOptions> = z.strictObject({
  file: name.max(4_096),
  table: name.optional(),
  pathColumn: name.optional(),
  textColumn: name.optional(),
  create: z.boolean().optional(),
  maxBytes: z.int().positive().optional(),
  busyMs: z.int().nonnegative().max(60_000).optional(),
});
