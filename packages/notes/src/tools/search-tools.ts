import { type AnyTool, defineTool } from "@ikigai/core";
import { oncePerInput } from "@ikigai/core/host";
import { z } from "zod";
import type { SearchResult } from "../repository/knowledge-repository.ts";
import type { PropertyFilter } from "../search/property-filter.ts";
import type { NoteToolsContext } from "./create-note-tools.ts";
import { notesText } from "./note-text.ts";
import { RELATED_OUTPUT, SEARCH_OUTPUT } from "./outputs.ts";
import { callOf, readsAll, toListed } from "./support.ts";

const LIMIT = z.int().min(1).max(100).default(10).describe("Maximum number of results");
const VALUE = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const BOUND = z.union([z.string(), z.number()]).optional();
const CONDITION = z
  .strictObject({
    eq: VALUE.optional(),
    ne: VALUE.optional(),
    gt: BOUND,
    gte: BOUND,
    lt: BOUND,
    lte: BOUND,
    in: z.array(VALUE).optional(),
    contains: BOUND,
    exists: z.boolean().optional(),
  })
  .refine((condition) => Object.values(condition).some((bound) => bound !== undefined), "name at least one comparison");

/** search_notes, search_by_tags, search_by_properties and find_related. */
export function createSearchTools({ repository }: NoteToolsContext): readonly AnyTool[] {
  const effects = (): ReturnType<typeof readsAll> => readsAll(repository.mounts());
  const annotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
  const pin = oncePerInput(async (input) => repository.resolver.resolve((input as { name: string }).name));

  return [
    defineTool({
      name: "search_notes",
      title: "Search notes",
      description:
        "Finds notes by words, best first, each with the line that fits best; with by: meaning, by what they mean, where " +
        "an embedder is configured.",
      input: z.strictObject({
        query: z.string().min(1).max(1_000),
        limit: LIMIT,
        by: z.enum(["text", "meaning"]).default("text"),
      }),
      output: SEARCH_OUTPUT,
      annotations,
      effects,
      async run({ query, limit, by }, context) {
        const call = callOf(context);
        const found = await (by === "text"
          ? repository.searchText(query, limit, call)
          : repository.searchVectors(query, limit, call));
        return { results: found.map(toHit) };
      },
      toText: notesText,
    }),
    defineTool({
      name: "search_by_tags",
      title: "Find notes by tags",
      description: "Notes that have all the given tags, or any of them. A tag finds those below it: a finds a/b.",
      input: z.strictObject({
        tags: z.array(z.string().min(1)).min(1).max(50).describe("Tags, with or without #"),
        match: z.enum(["all", "any"]).default("all"),
        limit: LIMIT,
      }),
      output: SEARCH_OUTPUT,
      annotations,
      effects,
      async run({ tags, match, limit }) {
        const found = await repository.searchByTags(tags, match);
        return { results: found.slice(0, limit).map(toHit), total: found.length };
      },
      toText: notesText,
    }),
    defineTool({
      name: "search_by_properties",
      title: "Find notes by properties",
      description:
        "Notes whose front matter meets all conditions. A value asks for equality, a list for all its items, and an " +
        "object for eq, ne, gt, gte, lt, lte, in, contains or exists. ISO dates compare as text.",
      input: z.strictObject({
        properties: z
          .record(z.string().min(1), z.union([VALUE, z.array(VALUE).min(1), CONDITION]))
          .refine((properties) => Object.keys(properties).length > 0, "name at least one property"),
        limit: LIMIT,
      }),
      output: SEARCH_OUTPUT,
      annotations,
      effects,
      async run({ properties, limit }) {
        const found = await repository.searchByProperties(properties as PropertyFilter);
        return { results: found.slice(0, limit).map(toHit), total: found.length };
      },
      toText: notesText,
    }),
    defineTool({
      name: "find_related",
      title: "Find related notes",
      description: "Notes related to one by links, shared tags, words or meaning, each with its reasons and scores.",
      input: z.strictObject({ name: z.string().min(1).describe("Note name or wikilink"), limit: LIMIT }),
      output: RELATED_OUTPUT,
      annotations,
      effects: async (input) => [{ action: "read", target: (await pin(input)).uri }, ...effects()],
      async run(input, context) {
        const related = await repository.findRelated(await pin(input), input.limit, callOf(context));
        return {
          related: related.map((note) => ({ ...toListed(note), score: note.score, relations: note.relations })),
        };
      },
      toText: notesText,
    }),
  ];
}

function toHit(result: SearchResult): Record<string, unknown> {
  const { score, snippet } = result;
  return { ...toListed(result), score, ...(snippet !== undefined && { snippet }) };
}
