import type { Database, Sql } from "@ikigai/database";
import type { PrunedRows, PruneOptions, Retention } from "@ikigai/memory";
import { removeUnnamedChunks } from "./journal/journal-chunks.ts";

/** A conversation is as old as its last message. */
const ACTIVE = `coalesce((select (regexp_replace(m.data, '\\\\.', '_', 'g')::json ->> 'at')::timestamptz from message m where m.conversation = t.id
  order by m.position desc limit 1), t.started_at)`;

/** The rows that are too old ($1) or too many ($2), `key` naming each. */
const beyond = (table: string, key: string, at: string): string => `
  select ${key} from (select t.${key}, ${at} as at, row_number() over (order by ${at} desc, t.${key} desc) as place from ${table} t) t
  where ($1::timestamptz is not null and at < $1) or ($2::bigint is not null and place > $2)`;

const BEYOND: Readonly<Record<keyof Retention, string>> = {
  journal: beyond("journal", "id", "t.at"),
  audit: beyond("audit", "id", "t.at"),
  conversations: beyond("conversation", "id", ACTIVE),
};

/** What was removed of a text's history is counted, so that nobody takes the rest for all of it. */
const REMOVE: Readonly<Record<keyof Retention, string>> = {
  journal: `with gone as (delete from journal where id in (${BEYOND.journal}) returning id, owner, uri, at),
      counted as (insert into journal_pruned as p (owner, uri, count, last_id, until)
        select owner, uri, count(*), max(id), max(at) from gone group by owner, uri
        on conflict (owner, uri) do update set count = p.count + excluded.count,
          last_id = greatest(p.last_id, excluded.last_id), until = greatest(p.until, excluded.until))
    select count(*)::int as count from gone`,
  audit: `with gone as (delete from audit where id in (${BEYOND.audit}) returning id) select count(*)::int as count from gone`,
  conversations: `with gone as (delete from conversation where id in (${BEYOND.conversations}) returning id)
    select count(*)::int as count from gone`,
};

/** Without it the room of rows that are gone is never used again. */
const REUSE_ROOM = "vacuum journal, journal_chunk, audit, conversation, message, conversation_mark, manifest";

const DAY_MS = 86_400_000;

/**
 * Lets go of what the user no longer wants to keep.
 *
 * Contract: all or nothing; nothing goes of a kind that has no limit. Chunks of texts go once no entry names them, and the
 * room of what went is used again. A dry run counts and changes nothing.
 */
export async function pruneStore(
  database: Database,
  retention: Retention,
  { dryRun = false, now: given }: PruneOptions = {},
): Promise<PrunedRows> {
  const now = given ?? (await storeTime(database));
  const pruned = await database.transaction(async (tx) => {
    await tx.query("select set_config('ikigai.pruning', 'on', true)");
    const prune = async (kind: keyof Retention): Promise<number> => {
      const { days, rows } = retention[kind] ?? {};
      if (days === undefined && rows === undefined) return 0;
      const limits = [cutoff(days, now), rows ?? null];
      return countOf(tx, dryRun ? `select count(*)::int as count from (${BEYOND[kind]}) b` : REMOVE[kind], limits);
    };
    return {
      journal: await prune("journal"),
      audit: await prune("audit"),
      conversations: await prune("conversations"),
    };
  });
  if (dryRun) return pruned;
  const chunks = await removeUnnamedChunks(database);
  const isSmaller = chunks > 0 || Object.values(pruned).some((count) => count > 0);
  // A server does so by itself.
  if (isSmaller && database.engine === "embedded") await database.query(REUSE_ROOM);
  return pruned;
}

/** The time by the clock of the store, since that of one program must not decide what is old for all. */
export async function storeTime(sql: Sql): Promise<Date> {
  const { rows } = await sql.query<{ ms: number }>("select (extract(epoch from now()) * 1000)::float8 as ms");
  return new Date(rows[0]?.ms ?? 0);
}

function cutoff(days: number | undefined, now: Date): Date | null {
  return days === undefined ? null : new Date(now.getTime() - days * DAY_MS);
}

async function countOf(tx: Sql, text: string, values: readonly unknown[]): Promise<number> {
  return (await tx.query<{ count: number }>(text, values)).rows[0]?.count ?? 0;
}
