import { z } from "zod";

interface Common {
  readonly weight?: number | undefined;
  readonly batch?: number | undefined;
  /** Folder of the configuration that named it, whose installed packages may be used. */
  readonly from?: string | undefined;
}

/** What finds entries and notes by meaning, as section `recall` of the configuration names it. */
export type EmbedderSection =
  | (Common & { readonly use: "offline" })
  | (Common & {
      readonly use: "folder";
      readonly folder: string;
      readonly dimensions: number;
      readonly prefix?: string | undefined;
    })
  | (Common & {
      readonly use: "endpoint";
      readonly base_url: string;
      readonly model: string;
      readonly dimensions: number;
      readonly api_key_env?: string | undefined;
      readonly timeout_ms?: number | undefined;
    });

/** Section `recall` of the configuration. */
export interface RecallSection {
  readonly languages?: readonly string[] | undefined;
  readonly embedder?: EmbedderSection | undefined;
}

const common = {
  weight: z.number().min(0).max(10).optional(),
  batch: z.int().min(1).optional(),
  from: z.string().optional(),
};
const dimensions = z.int().min(1);

/** Checks the section for a host that has no configuration file, too. */
export const recallSection: z.ZodType<RecallSection> = z.strictObject({
  languages: z.array(z.string().min(1)).min(1).optional(),
  embedder: z
    .discriminatedUnion("use", [
      z.strictObject({ use: z.literal("offline"), ...common }),
      z.strictObject({
        use: z.literal("folder"),
        folder: z.string().min(1),
        dimensions,
        prefix: z.string().optional(),
        ...common,
      }),
      z.strictObject({
        use: z.literal("endpoint"),
        base_url: z.url(),
        model: z.string().min(1),
        dimensions,
        api_key_env: z.string().min(1).optional(),
        timeout_ms: z.int().min(1).optional(),
        ...common,
      }),
    ])
    .optional(),
});
