import { z } from "zod";

// What the tools of notes answer. Open objects: a later version may say more.

const NAMED = { name: z.string(), uri: z.string() };
const LISTED = z.looseObject({ ...NAMED, tags: z.array(z.string()).optional(), modified_at: z.string().optional() });
const ENDS = z.array(z.looseObject({ ...NAMED, count: z.int() }));
const HITS = z.array(LISTED.extend({ score: z.number(), snippet: z.unknown().optional() })).describe("Best first");

export const READ_OUTPUT: z.ZodType = z.looseObject({
  ...NAMED,
  content: z.string(),
  version: z.string(),
  total_lines: z.int().describe("Of the whole note"),
});

export const METADATA_OUTPUT: z.ZodType = z.looseObject({
  ...NAMED,
  version: z.string(),
  tags: z.array(z.string()),
  properties: z.record(z.string(), z.unknown()),
  backlinks: ENDS,
  forward_links: ENDS,
});

export const LIST_OUTPUT: z.ZodType = z.looseObject({ notes: z.array(LISTED), total: z.int() });
export const SEARCH_OUTPUT: z.ZodType = z.looseObject({ results: HITS, total: z.int().optional() });
export const RELATED_OUTPUT: z.ZodType = z.looseObject({ related: z.array(LISTED.extend({ score: z.number() })) });
export const TAGS_OUTPUT: z.ZodType = z.looseObject({ tags: z.array(z.looseObject({})), total: z.int() });
export const WRITTEN_OUTPUT: z.ZodType = z.looseObject({ uri: z.string(), version: z.string() });

export const DELETED_OUTPUT: z.ZodType = z.looseObject({
  uri: z.string(),
  deleted: z.boolean(),
  broken_links: z.array(z.looseObject({ uri: z.string(), count: z.int() })),
});
