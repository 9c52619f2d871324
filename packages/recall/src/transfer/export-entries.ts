import type { RecallCall, RecallEntry, RecallStore } from "../contract.ts";

export interface ExportOptions extends RecallCall {
  /** `jsonl` keeps everything; `mcp-memory` is for the MCP memory server: live entries only, without times and metadata. */
  readonly format?: "jsonl" | "mcp-memory";
  /** Continue after this id. Only for `jsonl`. */
  readonly after?: string;
}

/**
 * Every entry of an owner as lines of JSON, without line ends, oldest first.
 *
 * Contract: reads page by page; superseded entries and tombstones are included, copies of other texts are not.
 */
export async function* exportEntries(store: RecallStore, options: ExportOptions): AsyncGenerator<string> {
  const { format = "jsonl", after, ...call } = options;
  if (format === "mcp-memory") yield* memoryLines(pages(store, call, after));
  else for await (const entry of pages(store, call, after)) yield JSON.stringify(toLine(entry));
}

async function* pages(store: RecallStore, call: RecallCall, start: string | undefined): AsyncGenerator<RecallEntry> {
  let after = start;
  for (;;) {
    call.signal?.throwIfAborted();
    const page = await store.scan(after === undefined ? {} : { after }, call);
    yield* page;
    if (page.length === 0) return;
    after = page.at(-1)?.id;
  }
}

function toLine(entry: RecallEntry): Record<string, unknown> {
  const { id, content, metadata, provenance, thread, order, occurredAt, createdAt, supersedes, supersededBy, erased } =
    entry;
  return {
    id,
    content,
    metadata,
    ...(thread !== undefined && { thread }),
    ...(order !== undefined && { order }),
    ...(occurredAt !== undefined && { occurred_at: occurredAt.toISOString() }),
    created_at: createdAt.toISOString(),
    provenance,
    ...(supersedes !== undefined && { supersedes }),
    ...(supersededBy !== undefined && { superseded_by: supersededBy }),
    ...(erased !== undefined && { erased: { ...erased, at: erased.at.toISOString() } }),
  };
}

interface Entity {
  readonly entityType: string;
  readonly observations: string[];
}

/** The type of the entities that stand for plain entries in the MCP memory server's file. */
export const PLAIN_ENTITY = "recall_entry";

/** Entities are put together again from their observations; every other entry is an entity of one observation. */
async function* memoryLines(entries: AsyncIterable<RecallEntry>): AsyncGenerator<string> {
  const entities = new Map<string, Entity>();
  const relations: string[] = [];
  for await (const { id, content, metadata, supersededBy, erased } of entries) {
    if (supersededBy !== undefined || erased !== undefined) continue;
    const {
      entity,
      entity_type: entityType,
      observation,
      relation_from: from,
      relation_type: type,
      relation_to: to,
    } = metadata as Record<string, string | undefined>;
    if (from !== undefined) relations.push(JSON.stringify({ type: "relation", from, to, relationType: type }));
    if (entity === undefined || entityType === undefined) {
      if (from === undefined) entities.set(`recall entry ${id}`, { entityType: PLAIN_ENTITY, observations: [content] });
      continue;
    }
    const known = entities.get(entity) ?? { entityType, observations: [] };
    if (observation !== undefined) known.observations.push(observation);
    entities.set(entity, known);
  }
  for (const [name, { entityType, observations }] of entities) {
    yield JSON.stringify({ type: "entity", name, entityType, observations });
  }
  yield* relations;
}
