import type { RowStore } from "@ikigai/core/host";
import type { NoteRow } from "./note-row.ts";

/** Where the rows of an index outlive the process. */
export type NoteIndexStore = RowStore<NoteRow>;

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
