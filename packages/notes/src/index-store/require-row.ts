import { IkigaiError } from "@ikigai/core";
import type { NoteGraph } from "./note-graph.ts";
import type { NoteRow } from "./note-row.ts";

/** Refuses an address that is no note of the index. */
export function requireRow(graph: NoteGraph, uri: string): NoteRow {
  const row = graph.get(uri);
  if (row !== undefined) return row;
  throw new IkigaiError("not_found", `There is no note ${uri}`, {
    hint: "List the notes to see which there are.",
    details: { error_type: "not_found", note_name: uri },
  });
}
