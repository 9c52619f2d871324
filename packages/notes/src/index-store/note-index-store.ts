import type { NoteRow } from "./note-row.ts";

/**
 * Where the rows of an index outlive the process.
 *
 * Contract: `load` gives the rows of one mount in any order; `save` replaces rows of the same `uri`; `remove` of an
 * unknown `uri` is no error. Rows are a cache of the notes: a store that loses some costs time, never truth.
 */
export interface NoteIndexStore {
  load(mount: string): Promise<readonly NoteRow[]>;
  save(rows: readonly NoteRow[]): Promise<void>;
  remove(uris: readonly string[]): Promise<void>;
}

/** Keeps the rows in memory, for tests and for a process that keeps nothing. */
export function createMemoryNoteIndexStore(): NoteIndexStore {
  const rows = new Map<string, NoteRow>();
  return {
    load: async (mount) => [...rows.values()].filter((row) => row.mount === mount),
    async save(changed) {
      for (const row of changed) rows.set(row.uri, row);
    },
    async remove(uris) {
      for (const uri of uris) rows.delete(uri);
    },
  };
}
