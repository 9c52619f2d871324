import type { Inserted, RecallCall, RecallStore } from "../contract.ts";
import type { Embedder } from "@ikigai/core/host";
import { alreadySuperseded, noSuchEntry } from "../entry/entry-errors.ts";
import { prepareEntry } from "../entry/prepare-entry.ts";
import { searchWith } from "../search.ts";
import { type AnalyserOptions, createAnalyser } from "../text/analyse.ts";
import { dropPostings } from "./drop-postings.ts";
import { insertNew } from "./insert-new.ts";
import { insertRows } from "./insert-rows.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { ENTRY_COLUMNS, type EntryRow, toEntry } from "./rows.ts";
import type { Sql, SqlClient } from "./sql-client.ts";
import { postgresEmbedding } from "./vectors.ts";

export interface PostgresRecallOptions extends AnalyserOptions {
  /** Adds meaning to the words. Default: none. */
  readonly embedder?: Embedder;
  /** Index rows that one search reads at most. Words that more than a quarter as many entries have are looked up for the best entries. Default 16,000. */
  readonly readLimit?: number;
}

/**
 * An archive in any PostgreSQL, shared by all processes that reach it. Needs no extension.
 *
 * Contract: as {@link RecallStore}; `recallMigrations` must have run. The client stays the caller's.
 */
export function createPostgresRecall(client: SqlClient, options: PostgresRecallOptions = {}): RecallStore {
  const analyser = createAnalyser(options);
  const { embedder } = options;
  const engine = postgresEngine(client, embedder?.id, options.readLimit);

  return {
    async insert(entries, call) {
      const now = call.now ?? new Date();
      const rows = entries.map((text) => ({ text, prepared: prepareEntry(text, analyser, now) }));
      if (rows.length === 0) return [];
      const corrected = entries.flatMap(({ supersedes }) => (supersedes === undefined ? [] : [supersedes]));
      if (corrected.length === 0) return insertNew(client, rows, { owner: call.owner, analyserId: analyser.id, now });
      corrected.forEach(assertId);
      return client.transaction(async (tx) => {
        const done = await insertNew(tx, rows, { owner: call.owner, analyserId: analyser.id, now });
        for (const [i, { supersedes }] of entries.entries()) {
          const { id } = done[i] as Inserted;
          if (supersedes !== undefined && supersedes !== id) await supersede(tx, supersedes, id, call);
        }
        return done;
      });
    },
    search: (request, call) => searchWith(engine, analyser, embedder, request, call),
    get: async (id, call) => toEntry(await readRow(client, id, call)),
    async history(id, call) {
      await readRow(client, id, call);
      const { rows } = await client.query<EntryRow>(
        `with recursive chain(id) as (
           select $2::text::bigint
           union
           select case when e.id = chain.id then e.superseded_by else e.id end
           from chain join recall_entry e on e.superseded_by = chain.id or (e.id = chain.id and e.superseded_by is not null)
         )
         select ${ENTRY_COLUMNS} from recall_entry e where e.owner = $1::text and e.id in (select id from chain) order by e.id`,
        [call.owner, id],
      );
      return rows.map(toEntry);
    },
    erase: (id, { by, reason }, call) =>
      client.transaction(async (tx) => {
        const row = await readRow(tx, id, call);
        if (row.erased_at !== null) return;
        if (row.superseded_by === null) await dropPostings(tx, call.owner, row);
        await tx.query(
          `update recall_entry set content = '', hash = null, label = '(erased)', metadata = '{}', provenance = '{}',
             thread = null, ord = null, occurred_at = null, at = created_at, speaker = '{}', dates = '{}', live = false,
             erased_at = $3::text::timestamptz, erased_by = $4::text, erased_reason = $5::text
           where owner = $1::text and id = $2::text::bigint`,
          [call.owner, id, (call.now ?? new Date()).toISOString(), by, reason ?? null],
        );
      }),
    mirror: (texts, call) => {
      const now = call.now ?? new Date();
      const rows = texts.map((text) => ({ text, prepared: prepareEntry(text, analyser, now) }));
      return client.transaction(async (tx) => {
        await removeCopies(
          tx,
          texts.map(({ address }) => address),
          call,
        );
        if (rows.length > 0) await insertRows(tx, call.owner, rows, analyser.id, now);
      });
    },
    unmirror: (addresses, call) => client.transaction((tx) => removeCopies(tx, addresses, call)),
    async copies(kind, { owner }) {
      const { rows } = await client.query<{ address: string; version: string }>(
        `select e.address, coalesce(e.provenance->>'version', '') as version from recall_entry e
         where e.owner = $1::text and e.kind = $2::text and e.live and e.address is not null`,
        [owner, kind],
      );
      return new Map(rows.map(({ address, version }) => [address, version]));
    },
    async scan({ after = "0", limit = 500 }, call) {
      const { rows } = await client.query<EntryRow>(
        `select ${ENTRY_COLUMNS} from recall_entry e
         where e.owner = $1::text and e.kind = 'entry' and e.id > $2::text::bigint order by e.id limit $3::int`,
        [call.owner, after, limit],
      );
      return rows.map(toEntry);
    },
    async status({ owner }) {
      const { rows } = await client.query<{ entries: number; embedded: number }>(
        `select (select coalesce(sum(entries), 0) from recall_count where owner = $1::text)::float8 as entries,
           (select count(*) from recall_vector where owner = $1::text and model = $2::text)::float8 as embedded`,
        [owner, embedder?.id ?? ""],
      );
      const { entries, embedded } = rows[0] as { entries: number; embedded: number };
      return embedder === undefined ? { entries } : { entries, embedded, model: embedder.id };
    },
    ...(embedder !== undefined && { embedding: postgresEmbedding(client, embedder) }),
  };
}

/** Text that cannot be an id names no entry. */
function assertId(id: string): void {
  if (!/^\d{1,18}$/.test(id)) throw noSuchEntry(id);
}

async function readRow(sql: Sql, id: string, { owner }: RecallCall): Promise<EntryRow> {
  assertId(id);
  const { rows } = await sql.query<EntryRow>(
    `select ${ENTRY_COLUMNS} from recall_entry e where e.owner = $1::text and e.id = $2::text::bigint and e.kind = 'entry'`,
    [owner, id],
  );
  const [row] = rows;
  if (row === undefined) throw noSuchEntry(id);
  return row;
}

async function supersede(tx: Sql, old: string, id: string, call: RecallCall): Promise<void> {
  const row = await readRow(tx, old, call);
  if (row.erased_at !== null) throw noSuchEntry(old);
  const { rows } = await tx.query(
    `update recall_entry set superseded_by = $3::text::bigint, live = false
     where owner = $1::text and id = $2::text::bigint and live returning id`,
    [call.owner, old, id],
  );
  if (rows.length === 0) throw alreadySuperseded(old, (await readRow(tx, old, call)).superseded_by ?? undefined);
  await dropPostings(tx, call.owner, row);
}

async function removeCopies(tx: Sql, addresses: readonly string[], { owner }: RecallCall): Promise<void> {
  const { rows } = await tx.query<EntryRow>(
    `delete from recall_entry e where e.owner = $1::text
       and e.address in (select jsonb_array_elements_text($2::text::jsonb)) returning ${ENTRY_COLUMNS}`,
    [owner, JSON.stringify(addresses)],
  );
  for (const row of rows) await dropPostings(tx, owner, row);
}
