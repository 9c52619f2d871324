import { IkigaiError, messageOf } from "@ikigai/core";
import { z } from "zod";
import type { NewEntry } from "../contract.ts";
import { assertEntry } from "../entry/assert-entry.ts";
import { PLAIN_ENTITY } from "./export-entries.ts";

/** What one line of a file holds: any number of entries, and the id that other lines may refer to. */
export interface ImportedLine {
  readonly entries: readonly NewEntry[];
  readonly id?: string;
  /** Whether a later line says that it corrects this one. */
  readonly corrected: boolean;
}

const json = z.record(z.string(), z.unknown());
const plain = z.object({
  content: z.string(),
  id: z.union([z.string(), z.number()]).optional(),
  metadata: json.optional(),
  provenance: json.optional(),
  thread: z.string().nullish(),
  order: z.number().nullish(),
  occurred_at: z.string().nullish(),
  created_at: z.string().optional(),
  supersedes: z.union([z.string(), z.number()]).nullish(),
  superseded_by: z.union([z.string(), z.number()]).nullish(),
  erased: z.unknown().optional(),
});
const entity = z.object({
  type: z.literal("entity"),
  name: z.string(),
  entityType: z.string(),
  observations: z.array(z.string()),
});
const relation = z.object({ type: z.literal("relation"), from: z.string(), to: z.string(), relationType: z.string() });

/**
 * Reads one line: an entry as `export` writes it, a bare JSON text, or a line of the MCP memory server's file.
 *
 * Contract: `invalid_input`, naming the line, for anything else, and for an entry that no store takes.
 */
export function readLine(text: string, line: number): ImportedLine {
  const read = readShape(text, line);
  for (const entry of read.entries) {
    try {
      assertEntry(entry);
    } catch (cause) {
      throw unreadable(line, messageOf(cause), cause);
    }
  }
  return read;
}

function readShape(text: string, line: number): ImportedLine {
  const value = parse(text, line);
  if (typeof value === "string") return { entries: [{ content: value }], corrected: false };
  const asEntity = entity.safeParse(value);
  if (asEntity.success) return { entries: observations(asEntity.data), corrected: false };
  const asRelation = relation.safeParse(value);
  if (asRelation.success) return { entries: [relationEntry(asRelation.data)], corrected: false };
  const asPlain = plain.safeParse(value);
  if (!asPlain.success)
    throw unreadable(line, asPlain.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
  return plainEntry(asPlain.data, line);
}

function plainEntry(data: z.output<typeof plain>, line: number): ImportedLine {
  const { content, id, metadata, provenance, thread, order, occurred_at: at, created_at: created, supersedes } = data;
  const named = id === undefined ? {} : { id: String(id) };
  if (data.erased !== undefined || content === "") return { entries: [], corrected: false, ...named };
  const occurredAt = at === undefined || at === null ? undefined : new Date(at);
  if (occurredAt !== undefined && Number.isNaN(occurredAt.getTime())) throw unreadable(line, `occurred_at is ${at}`);
  const origin = {
    ...(id !== undefined && { imported_id: String(id) }),
    ...(created && { imported_created_at: created }),
  };
  const entry: NewEntry = {
    content,
    provenance: { ...provenance, ...origin },
    ...(metadata !== undefined && { metadata }),
    ...(thread && { thread }),
    ...(typeof order === "number" && { order }),
    ...(occurredAt !== undefined && { occurredAt }),
    ...(supersedes !== undefined && supersedes !== null && { supersedes: String(supersedes) }),
  };
  return { entries: [entry], corrected: data.superseded_by !== undefined && data.superseded_by !== null, ...named };
}

/** An entity's observations become a thread of its own, each with the name that it is about. */
function observations({ name, entityType, observations: all }: z.output<typeof entity>): readonly NewEntry[] {
  if (entityType === PLAIN_ENTITY) return all.map((content) => ({ content }));
  const facts = { entity: name, entity_type: entityType };
  const texts = all.length === 0 ? [undefined] : all;
  return texts.map((observation, order) => ({
    content: observation === undefined ? `${name} is a ${entityType}` : `${name}: ${observation}`,
    thread: `entity:${name}`,
    order,
    metadata: observation === undefined ? facts : { ...facts, observation },
  }));
}

function relationEntry({ from, to, relationType }: z.output<typeof relation>): NewEntry {
  const metadata = { relation_from: from, relation_type: relationType, relation_to: to };
  return { content: `${from} ${relationType.replaceAll("_", " ")} ${to}`, metadata };
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(line, "it is not JSON", cause);
  }
}

function unreadable(line: number, why: string, cause?: unknown): IkigaiError {
  return new IkigaiError("invalid_input", `Line ${line} cannot be imported: ${why}`, {
    hint: "Correct the line and import again; what was stored before it is recognised.",
    details: { line },
    cause,
  });
}
