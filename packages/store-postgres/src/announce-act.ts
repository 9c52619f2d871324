import type { Database } from "@ikigai/database";
import type { AuditRow } from "@ikigai/memory";
import { createJournal, type JournalEntry } from "./journal.ts";

/**
 * Writes down a call and announces the one change that it makes, together. Gives the id to settle the change with.
 *
 * Contract: both are stored or neither, with one statement and one sync of the disk.
 */
export function announceAct(database: Database, row: AuditRow, entry: JournalEntry): Promise<string> {
  // The audit's row comes behind the values of the journal's own statement.
  const audited = (place: number): string => `with audited as (insert into audit
    select * from json_populate_record(null::audit, $${place}::json) on conflict (id) do nothing)`;
  return createJournal({
    ...database,
    query: (text, values = []) =>
      database.query(`${audited(values.length + 1)} ${text}`, [...values, JSON.stringify(row)]),
  }).intend(entry);
}
