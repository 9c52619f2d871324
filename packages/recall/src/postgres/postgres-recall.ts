import type { Inserted, MirroredText, NewEntry, RecallCall, RecallEntry, RecallStore } from "../contract.ts";
import type { Embedder } from "../embed/embedder.ts";
import { alreadySuperseded, noSuchEntry } from "../entry/entry-errors.ts";
import { prepareEntry } from "../entry/prepare-entry.ts";
import { searchWith } from "../search.ts";
import { type AnalyserOptions, createAnalyser } from "../text/analyse.ts";
import { findKnown } from "./find-known.ts";
import { dropPostings, insertRows, type PreparedRow } from "./insert-rows.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { ENTRY_COLUMNS, type EntryRow, toEntry } from "./rows.ts";
import { arrayOf, type Sql, type SqlClient } from "./sql-client.ts";
import { postgresEmbedding } from "./vectors.ts";

export interface PostgresRecallOptions extends AnalyserOptions {
  /** Adds meaning to the words. Default: none. */
  readonly embedder?: Embedder;
}

/**
 * An archive in any PostgreSQL, shared by all processes that reach it. Needs no extension.
 *
 * Contract: as {@link RecallStore}; `recallMigrations` must have run. The client stays the caller's.
 */
export function createPostgresRecall(client: SqlClient, options: PostgresRecallOptions = {}): RecallStore {
  const analyser = createAnalyser(options);
  const { embedder } = options;
  const engine = postgresEngine(client, embedder?.id);
  const termsOf = (text: MirroredText | NewEntry): Iterable<string> =>
    prepareEntry(text, analyser, new Date(0)).postings.keys();

  return {
    async insert(entries, call) {
      const now = call.now ?? new Date();
      const rows = entries.map((text) => ({ text, prepared: prepareEntry(text, analyser, now) }));
      if (rows.length === 0) return [];
      const corrected = entries.flatMap(({ supersedes }) => (supersedes === undefined ? [] : [supersedes]));
      if (corrected.length === 0) return insertNew(client, rows, call, now);
      corrected.forEach(assertId);
      return client.transaction(async (tx) => {
        const done = await insertNew(tx, rows, call, now);
        for (const [i, { supersedes }] of entries.entries()) {
          const { id } = done[i] as Inserted;
          if (supersedes !== undefined && supersedes !== id) await supersede(tx, supersedes, id, call);
        }
        return done;
      });
    },
    search: (request, call) => searchWith(engine, analyser, embedder, request, call),
    get: (id, call) => readEntry(client, id, call),
    async history(id, call) {
      await readEntry(client, id, call);
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
        const entry = await readEntry(tx, id, call);
        if (entry.erased !== undefined) return;
        if (entry.supersededBy === undefined) await dropPostings(tx, call.owner, entry.kind, id, termsOf(entry));
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

  async function insertNew(sql: Sql, rows: readonly PreparedRow[], call: RecallCall, now: Date): Promise<Inserted[]> {
    const recalled = await findKnown(sql, call.owner, rows);
    const fresh = rows.flatMap((row, i) => (recalled.has(i) ? [] : [{ row, i }]));
    const stored =
      fresh.length === 0
        ? new Map<number, string>()
        : await insertRows(
            sql,
            call.owner,
            fresh.map(({ row }) => row),
            analyser.id,
            now,
          );
    const ids = new Map(fresh.map(({ i }, n) => [i, stored.get(n)]));
    const missing = rows.filter((_, i) => ids.get(i) === undefined && !recalled.has(i));
    const same = await idsByHash(
      sql,
      call.owner,
      missing.map(({ prepared }) => prepared.hash),
    );
    return rows.map(({ prepared }, i): Inserted => {
      const known = recalled.get(i);
      if (known !== undefined) return { id: known, stored: false, recognised: "recalled_text" };
      const id = ids.get(i);
      if (id !== undefined) return { id, stored: true };
      return { id: same.get(prepared.hash) as string, stored: false, recognised: "same_content" };
    });
  }

  async function supersede(tx: Sql, old: string, id: string, call: RecallCall): Promise<void> {
    const entry = await readEntry(tx, old, call);
    if (entry.erased !== undefined) throw noSuchEntry(old);
    const { rows } = await tx.query(
      `update recall_entry set superseded_by = $3::text::bigint, live = false
       where owner = $1::text and id = $2::text::bigint and live returning id`,
      [call.owner, old, id],
    );
    if (rows.length === 0) throw alreadySuperseded(old, (await readEntry(tx, old, call)).supersededBy);
    await dropPostings(tx, call.owner, "entry", old, termsOf(entry));
  }

  async function removeCopies(tx: Sql, addresses: readonly string[], { owner }: RecallCall): Promise<void> {
    const { rows } = await tx.query<EntryRow>(
      `delete from recall_entry e where e.owner = $1::text
         and e.address in (select jsonb_array_elements_text($2::text::jsonb)) returning ${ENTRY_COLUMNS}`,
      [owner, JSON.stringify(addresses)],
    );
    for (const row of rows) await dropPostings(tx, owner, row.kind, row.id, termsOf(toEntry(row)));
  }
}

/** Text that cannot be an id names no entry. */
function assertId(id: string): void {
  if (!/^\d{1,18}$/.test(id)) throw noSuchEntry(id);
}

async function readEntry(sql: Sql, id: string, { owner }: RecallCall): Promise<RecallEntry> {
  assertId(id);
  const { rows } = await sql.query<EntryRow>(
    `select ${ENTRY_COLUMNS} from recall_entry e where e.owner = $1::text and e.id = $2::text::bigint and e.kind = 'entry'`,
    [owner, id],
  );
  const [row] = rows;
  if (row === undefined) throw noSuchEntry(id);
  return toEntry(row);
}

async function idsByHash(sql: Sql, owner: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql.query<{ hash: string; id: string }>(
    `select hash, id::text as id from recall_entry
     where owner = $1::text and hash = any ($2::text::text[]) and live and kind = 'entry'`,
    [owner, arrayOf(hashes)],
  );
  return new Map(rows.map(({ hash, id }) => [hash, id]));
}
