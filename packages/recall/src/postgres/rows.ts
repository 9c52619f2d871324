import type { RecallEntry, RecallKind } from "../contract.ts";

/** Columns of an entry as every client gives them alike: numbers and texts, times in milliseconds. */
export const ENTRY_COLUMNS: string = `e.id::text as id, e.kind, e.label, e.content, e.metadata, e.provenance, e.thread, e.ord,
  ${ms("e.occurred_at")} as occurred_at, ${ms("e.created_at")} as created_at, e.supersedes::text as supersedes,
  e.superseded_by::text as superseded_by, e.address, ${ms("e.erased_at")} as erased_at, e.erased_by, e.erased_reason, e.analyser`;

export interface EntryRow {
  readonly id: string;
  readonly kind: RecallKind;
  readonly label: string;
  readonly content: string;
  readonly metadata: Record<string, unknown>;
  readonly provenance: Record<string, unknown>;
  readonly thread: string | null;
  readonly ord: number | null;
  readonly occurred_at: number | null;
  readonly created_at: number;
  readonly supersedes: string | null;
  readonly superseded_by: string | null;
  readonly address: string | null;
  readonly erased_at: number | null;
  readonly erased_by: string | null;
  readonly erased_reason: string | null;
  /** Version of the analyser that made the entry's terms; its postings can only be found with the same. */
  readonly analyser: string;
}

export function ms(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::float8`;
}

export function toEntry(row: EntryRow): RecallEntry {
  const { id, kind, label, content, metadata, provenance } = row;
  return {
    id,
    kind,
    label,
    content,
    metadata,
    provenance,
    createdAt: new Date(row.created_at),
    ...(row.thread !== null && { thread: row.thread }),
    ...(row.ord !== null && { order: row.ord }),
    ...(row.occurred_at !== null && { occurredAt: new Date(row.occurred_at) }),
    ...(row.supersedes !== null && { supersedes: row.supersedes }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    ...(row.address !== null && { address: row.address }),
    ...(row.erased_at !== null && {
      erased: {
        at: new Date(row.erased_at),
        by: row.erased_by as string,
        ...(row.erased_reason !== null && { reason: row.erased_reason }),
      },
    }),
  };
}
