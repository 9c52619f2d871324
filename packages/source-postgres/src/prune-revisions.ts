import type { Database, Transaction } from "@ikigai/database";
import { revisionsOf } from "./revisions.ts";

/** A state that stays however old it is. */
export interface KeptVersion {
  readonly owner: string;
  readonly version: string;
}

/** The states `r` that go: older than `$1`, none that an asset is in, none of `$2`. */
const GOES = `r.at < $1
  and not exists (select from asset a where a.owner = r.owner and a.version = r.number)
  and not exists (select from json_to_recordset($2::json) as k(owner text, version bigint)
    where k.owner = r.owner and k.version = r.number)`;

/** The states that stay and are kept beside one that goes. */
const LEFT_ALONE = `with gone as (select r.owner, r.number from asset_revision r where ${GOES})
  select r.owner, r.path, r.number from asset_revision r
  where r.kept_start is not null
    and not exists (select from gone g where g.owner = r.owner and g.number = r.number)
    and exists (select from gone g where g.owner = r.owner and g.number = (
      select min(n.number) from asset_revision n
      where n.owner = r.owner and n.path = r.path and n.number > r.number and n.change <> 'removed'))`;

/** Lets go of the states from before `before`. Gives their number. Contract: the states that stay can be read as before. */
export async function pruneRevisions(database: Database, before: Date, keep: readonly KeptVersion[]): Promise<number> {
  const which = [before, JSON.stringify(keep)];
  return database.transaction(async (tx) => {
    await keepWhole(tx, which);
    return (await tx.query(`delete from asset_revision r where ${GOES}`, which)).count;
  });
}

async function keepWhole(tx: Transaction, which: readonly unknown[]): Promise<void> {
  const { rows } = await tx.query<{ owner: string; path: string; number: string }>(LEFT_ALONE, which);
  for (const { owner, path, number } of rows) {
    for await (const { version, text } of revisionsOf(tx, owner, path)) {
      if (version !== number) continue;
      tx.send(
        "update asset_revision set content = $3, kept_start = null, kept_end = null where owner = $1 and number = $2",
        [owner, number, text],
      );
      break;
    }
  }
}
