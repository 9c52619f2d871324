import { postingsOf } from "../entry/prepare-entry.ts";
import { type AnalyserOptions, createAnalyser } from "../text/analyse.ts";
import { termKey } from "../text/term-key.ts";
import { keysOf } from "./drop-postings.ts";
import { ENTRY_COLUMNS, type EntryRow } from "./rows.ts";
import { arrayOf, type SqlClient } from "./sql-client.ts";

export interface ReindexOptions extends AnalyserOptions {
  /** Entries per transaction. Default 100. */
  readonly batch?: number;
  readonly signal?: AbortSignal;
  /** Contract: must not throw. */
  readonly onProgress?: (done: number) => void;
}

/**
 * Brings the index of every owner's entries to the languages that are configured now.
 *
 * Contract: what was done stays done, so that calling it again resumes. Gives the number of entries indexed anew.
 */
export async function reindexRecall(client: SqlClient, options: ReindexOptions = {}): Promise<number> {
  const { batch = 100, signal, onProgress } = options;
  const analyser = createAnalyser(options);
  let done = 0;
  for (;;) {
    signal?.throwIfAborted();
    const count = await client.transaction(async (tx) => {
      const { rows } = await tx.query<EntryRow & { owner: string }>(
        `select ${ENTRY_COLUMNS}, e.owner from recall_entry e where e.live and e.analyser <> $1::text
         order by e.id limit $2::int for update`,
        [analyser.id, batch],
      );
      for (const row of rows) {
        const { postings, speaker } = postingsOf(row.content, row.metadata, analyser);
        await tx.query("delete from recall_posting where entry = $1::text::bigint and key = any ($2::text::bigint[])", [
          row.id,
          arrayOf(keysOf(row.owner, row)),
        ]);
        await tx.query(
          `insert into recall_posting (key, entry, impact)
           select key, $1::text::bigint, impact from unnest($2::text::bigint[], $3::text::smallint[]) as p(key, impact)`,
          [
            row.id,
            arrayOf([...postings.keys()].map((term) => termKey(row.owner, row.kind, term))),
            arrayOf(postings.values()),
          ],
        );
        await tx.query(
          `update recall_entry set analyser = $2::text, speaker = array(select jsonb_array_elements_text($3::text::jsonb))
           where id = $1::text::bigint`,
          [row.id, analyser.id, JSON.stringify(speaker)],
        );
      }
      return rows.length;
    });
    done += count;
    onProgress?.(done);
    if (count < batch) return done;
  }
}
