import { IkigaiError } from "@ikigai/core";
import type { Database, Sql, Transaction } from "@ikigai/database";
import { type AuditRow, type Journal, type JournalEntry, type JournalRecord, storableName } from "@ikigai/memory";
import { keepChunks } from "./journal-chunks.ts";
import { readRecords, rowOf } from "./journal-rows.ts";

/**
 * The journal in the store.
 *
 * Contract: a change is written down before it is acknowledged. Of one tool call each change is written down once,
 * however often it is reported.
 */
export interface PostgresJournal extends Journal {
  /** Writes a change down, inside the caller's transaction or in one of its own. */
  record(entry: JournalEntry, tx?: Transaction): Promise<void>;
  /** Newest first. */
  history(uri: string, options: HistoryOptions): Promise<readonly JournalRecord[]>;
}

interface HistoryOptions {
  readonly owner: string;
  /** Default 50. */
  readonly limit?: number;
  /** Only entries before this id, to read on. */
  readonly before?: string;
}

const INSERT = `insert into journal (uri, owner, agent, tool, call_id, conversation, client, reason, undoes, before_text,
    before_chunks, before_version, after_text, after_chunks, after_version, after_from, after_to, fields, state)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
  on conflict (call_id, owner, uri, after_version) where call_id is not null and state = 'done' do nothing
  returning id`;
/** The row of the call comes behind the values of the entry. */
const INSERT_WITH_AUDIT = `with audited as (insert into audit
    select * from json_populate_record(null::audit, $20::json) on conflict (id) do nothing) ${INSERT}`;

/** The source itself may have written the change down, in its own transaction: then the announcement goes. */
const SETTLE = `with known as (
    delete from journal i where i.id = $1 and i.state = 'intended' and exists (
      select from journal d where d.state = 'done' and d.call_id = i.call_id and d.owner = i.owner and d.uri = i.uri
        and d.after_version is not distinct from coalesce($2, i.after_version))
    returning i.id)
  update journal set state = 'done', after_version = coalesce($2, after_version)
  where id = $1 and state = 'intended' and not exists (select from known)`;

export function createJournal(database: Database): PostgresJournal {
  return {
    async record(entry, tx) {
      const { values, cuts } = rowOf(entry);
      const insert = async (own: Transaction): Promise<void> => {
        if (cuts.length > 0) await keepChunks(own, cuts);
        own.send(INSERT, [...values, "done"]);
      };
      if (tx !== undefined) await insert(tx);
      else if (cuts.length > 0) await database.transaction(insert);
      else await database.query(INSERT, [...values, "done"]);
    },
    intend: (entry) => announceEntry(database, entry),
    async settle(id, end) {
      if (end === "failed") {
        await database.query("update journal set state = 'failed' where id = $1 and state = 'intended'", [id]);
        return;
      }
      await database.query(SETTLE, [id, end.version ?? null]);
    },
    async history(uri, { owner, limit = 50, before }) {
      return readRecords(
        database,
        `select * from journal where owner = $1 and uri = $2 and state <> 'failed' and ($3::bigint is null or id < $3)
         order by id desc limit $4`,
        [owner, uri, before ?? null, limit],
      );
    },
    async ofCall(callId) {
      return readRecords(database, "select * from journal where call_id = $1 and state = 'done' order by id desc", [
        storableName(callId),
      ]);
    },
    async get(id) {
      const [record] = /^\d{1,18}$/.test(id)
        ? await readRecords(database, "select * from journal where id = $1", [id])
        : [];
      if (record !== undefined) return record;
      throw new IkigaiError("not_found", `The journal has no entry ${JSON.stringify(id)}`, {
        hint: "Use an id that the history shows.",
      });
    },
    async pruned(uri, { owner }) {
      const { rows } = await database.query<{ count: string; last_id: string; until: Date }>(
        "select count, last_id, until from journal_pruned where owner = $1 and uri = $2",
        [owner, uri],
      );
      const [row] = rows;
      return row && { count: Number(row.count), lastId: row.last_id, until: row.until };
    },
  };
}

/**
 * Announces a change, together with the row of its call where one is given. Gives the id to settle it with.
 *
 * Contract: all is stored or nothing, with one sync of the disk; of texts that need no chunks, with one statement.
 */
export async function announceEntry(database: Database, entry: JournalEntry, call?: AuditRow): Promise<string> {
  const { values, cuts } = rowOf(entry);
  const given = [...values, "intended", ...(call === undefined ? [] : [JSON.stringify(call)])];
  const insert = (sql: Sql): ReturnType<typeof sql.query<{ id: string }>> =>
    sql.query(call === undefined ? INSERT : INSERT_WITH_AUDIT, given);
  const keepAndInsert = async (tx: Transaction): ReturnType<typeof insert> => {
    await keepChunks(tx, cuts);
    return insert(tx);
  };
  const { rows } = cuts.length === 0 ? await insert(database) : await database.transaction(keepAndInsert);
  return rows[0]?.id ?? "";
}
