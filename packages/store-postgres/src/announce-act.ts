import type { Database } from "@ikigai/database";
import type { AuditRow, JournalEntry } from "@ikigai/memory";
import { announceEntry } from "./journal.ts";

/**
 * Writes down a call and announces the one change that it makes, together. Gives the id to settle the change with.
 *
 * Contract: both are stored or neither, with one sync of the disk.
 */
export function announceAct(database: Database, row: AuditRow, entry: JournalEntry): Promise<string> {
  return announceEntry(database, entry, row);
}
