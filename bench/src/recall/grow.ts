import type { SqlClient } from "@ikigai/core/host";

const STEP = 20_000;

/**
 * Brings an owner's archive to `size` entries by copying those it has, which is quicker than inserting each.
 *
 * Contract: the words keep their frequencies; the archive must have entries, and none of another owner.
 */
export async function growArchive(client: SqlClient, owner: string, size: number): Promise<void> {
  const count = async (): Promise<{ have: number; last: number }> => {
    const { rows } = await client.query<{ have: number; last: number }>(
      "select count(*)::float8 as have, max(id)::float8 as last from recall_entry where owner = $1::text and live",
      [owner],
    );
    return rows[0] as { have: number; last: number };
  };
  for (let { have, last } = await count(); have < size; { have, last } = await count()) {
    const step = Math.min(STEP, size - have, have);
    // What grew this fast is not counted yet, and would be joined as if it were small.
    for (const table of ["recall_entry", "recall_posting"]) await client.query(`analyze ${table}`);
    const range = [owner, last, step];
    const source = `from recall_entry e where e.owner = $1::text and e.live and e.id in (
      select id from recall_entry where owner = $1::text and live order by id limit $3::int)`;
    await client.query(
      `insert into recall_entry (id, owner, kind, content, hash, label, metadata, provenance, thread, ord, sort, occurred_at,
         created_at, at, analyser, speaker, asks, tells_time, dates)
       select e.id + $2::int, e.owner, e.kind, e.content, e.hash || ($2::int)::text, e.label, e.metadata, e.provenance,
         e.thread || ' ' || ($2::int)::text, e.ord, e.sort, e.occurred_at, e.created_at, e.at, e.analyser, e.speaker, e.asks,
         e.tells_time, e.dates ${source}`,
      range,
    );
    await client.query(
      `insert into recall_posting (key, entry, impact)
       select p.key, p.entry + $2::int, p.impact from recall_posting p where p.entry in (select e.id ${source})
       order by p.key, p.entry`,
      range,
    );
    await client.query(
      "update recall_count set entries = entries + $2::int where owner = $1::text and slot = (select min(slot) from recall_count where owner = $1::text)",
      [owner, step],
    );
    await client.query("select setval('recall_entry_id', (select max(id) from recall_entry))");
  }
}
