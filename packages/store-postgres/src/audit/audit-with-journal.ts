import { messageOf } from "@ikigai/core";
import type { Database } from "@ikigai/database";
import { type AuditRow, type AuditSink, type Journal, storableName } from "@ikigai/memory";
import { announceEntry } from "../journal/journal.ts";

export interface AuditWithJournalOptions {
  readonly database: Database;
  readonly journal: Journal;
  /** Contract: resolves once the row is in the store; a row that is there already is no fault. */
  readonly keepRow: AuditSink;
  /** Receives a warning when a change was made and its end could not be written to the journal. */
  readonly warn?: (message: string) => void;
}

/** Audit rows of calls whose only act is one change: row and change are written with one sync of the disk. */
export interface AuditWithJournal {
  /** Writes a row together with the change that its call announces, or when {@link written} is asked for. */
  readonly keepWithChange: AuditSink;
  /** Contract: announces a change together with the row of its call, where that is not written yet. */
  readonly journal: Journal;
  /** Resolves when the row of a call is in the store, also of one that announced nothing. */
  written(callId: string): Promise<void>;
  /** Resolves when the end of each change is written down. */
  settled(): Promise<void>;
}

/**
 * Contract: the row of a call is in the store before its change begins, whatever became of the call meanwhile. The end of
 * such a change is on its way to the store when `settle` resolves; whoever reads this journal waits for it. Should it be
 * lost, the announcement has both texts, and the text itself tells whether the change was made.
 */
export function createAuditWithJournal(options: AuditWithJournalOptions): AuditWithJournal {
  const { database, journal, keepRow, warn } = options;
  /** Rows that are not in the store yet, by call: the row, or the wait for it to be stored. */
  const unwritten = new Map<string, AuditRow | Promise<void>>();
  const addresses = new Map<string, string>();
  const settling = new Set<Promise<void>>();

  /** Does the one thing when the row of a call is not written yet, which writes it, and else the other. */
  async function withRow<T>(
    id: string | undefined,
    storeIt: (row: AuditRow) => Promise<T>,
    otherwise: () => Promise<T>,
  ): Promise<T> {
    // A row has the id as it can be stored.
    const callId = id === undefined ? undefined : storableName(id);
    for (;;) {
      const found = callId === undefined ? undefined : unwritten.get(callId);
      if (found === undefined) return otherwise();
      if (!(found instanceof Promise)) return store(found, () => storeIt(found));
      await found;
    }
  }

  /** Contract: the row is let go of once it is stored, and kept again when that failed. */
  function store<T>(row: AuditRow, work: () => Promise<T>): Promise<T> {
    const stored = work().then(
      (value) => {
        unwritten.delete(row.call_id);
        return value;
      },
      (error: unknown) => {
        unwritten.set(row.call_id, row);
        throw error;
      },
    );
    unwritten.set(
      row.call_id,
      stored.then(
        () => {},
        () => {},
      ),
    );
    return stored;
  }

  async function settled(): Promise<void> {
    await Promise.all(settling);
  }

  return {
    async keepWithChange(row) {
      // A second call of the same name: only one can be told apart later.
      if (unwritten.has(row.call_id)) await keepRow(row);
      else unwritten.set(row.call_id, row);
    },
    written: (callId) => withRow(callId, keepRow, async () => {}),
    settled,
    journal: {
      ...journal,
      async intend(entry) {
        const announce = async (row: AuditRow): Promise<string> => {
          const id = await announceEntry(database, entry, row);
          addresses.set(id, entry.uri);
          return id;
        };
        return withRow(entry.actor?.callId, announce, () => journal.intend(entry));
      },
      async settle(id, end) {
        const uri = addresses.get(id);
        addresses.delete(id);
        if (uri === undefined || end === "failed") return journal.settle(id, end);
        const ending = journal
          .settle(id, end)
          .catch((error: unknown) => warn?.(`the journal entry ${id} of ${uri} stays open: ${messageOf(error)}`))
          .finally(() => settling.delete(ending));
        settling.add(ending);
      },
      async history(...given) {
        await settled();
        return journal.history(...given);
      },
      async ofCall(...given) {
        await settled();
        return journal.ofCall(...given);
      },
      async get(...given) {
        await settled();
        return journal.get(...given);
      },
    },
  };
}
