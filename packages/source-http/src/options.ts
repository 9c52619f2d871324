import { z } from "zod";

/** Options of a source that reads a list of documents over HTTP. */
export interface HttpSourceOptions {
  /** The address that everything is relative to, such as `https://example.org/docs/`. */
  readonly url: string;
  /** The list of paths, relative to `url`: JSON, or a page of links. Default: `url` itself. */
  readonly index?: string | undefined;
  /** Where the list is inside a JSON answer, such as `data.items`. Default: the answer is the list. */
  readonly items?: string | undefined;
  /** The field of an item that holds its path. Default `path`; an item may also be the path itself. */
  readonly pathField?: string | undefined;
  /** The address of a document, relative to `url`; `{path}` stands for its path. Default `{path}`. */
  readonly document?: string | undefined;
  /** Sent with every request, to this origin only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Larger answers are refused. In bytes; default 5 MiB. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds a document or the list may take. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds an answer is used again without asking the server. Default 0: it is always asked, with its ETag. */
  readonly maxAgeMs?: number | undefined;
  /** Bytes of answers that are kept. Default 32 MiB. */
  readonly cacheBytes?: number | undefined;
}

const base = z
  .url({ protocol: /^https?$/ })
  .refine((text) => !/^https?:\/\/[^/]*@/i.test(text), "must not hold a password; use headers")
  .refine((text) => !/[?#]/.test(text), "must have no query and no fragment");

const relative = z
  .string()
  .min(1)
  .max(2_048)
  .refine((text) => !/^[a-z][a-z0-9+.-]*:|^[\\/]{2}/i.test(text), "must be relative to url");

export const httpSourceOptions: z.ZodType<HttpSourceOptions> = z.strictObject({
  url: base,
  index: relative.optional(),
  items: z.string().min(1).optional(),
  pathField: z.string().min(1).optional(),
  document: relative.refine((text) => text.includes("{path}"), "must contain {path}").optional(),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().regex(/^[\t\x20-\x7e]*$/)).optional(),
  maxBytes: z.int().positive().optional(),
  timeoutMs: z.int().positive().optional(),
  maxAgeMs: z.int().nonnegative().optional(),
  cacheBytes: z.int().nonnegative().optional(),
});
