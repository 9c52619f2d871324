import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { AssetPosition, CommittedAssetChange } from "@ikigai/core/assets";
import type { Database } from "@ikigai/database";
import { changeChannel } from "./change-asset.ts";

interface ChangeRow {
  readonly owner: string;
  readonly number: string;
  readonly path: string;
  readonly change: CommittedAssetChange["change"];
  readonly author: string | null;
  readonly program: string | null;
  readonly at: Date;
}

const PAGE = 200;
/** Notifications are hints; this is how long a lost one can delay a change. */
const LOOK_EVERY_MS = 5_000;

/** From each owner's position on: what lies before it is not looked at, however much it is. */
export const CHANGES: string = `
  select r.owner, r.number, r.path, r.change, r.author, r.program, r.at
  from (select $1 as owner union select owner from asset_share where agent = $1) o
  join asset_revision r on r.owner = o.owner and r.number > coalesce(($2::jsonb ->> o.owner)::bigint, 0)
  where r.owner = $1 or exists (
    select from asset_share s where s.agent = $1 and s.owner = r.owner and s.path = r.path)
  order by r.at, r.owner, r.number limit ${PAGE}`;

/**
 * The changes that `agent` can see, behind a position, and then those to come.
 *
 * Contract: each change once, those of one owner in the order of their commits; ends when `signal` aborts.
 */
export async function* followChanges(
  database: Database,
  agent: string,
  from: AssetPosition,
  signal: AbortSignal,
): AsyncGenerator<CommittedAssetChange> {
  let wake = (): void => {};
  let hinted = true;
  const hints = database.listen(changeChannel(database.schema), () => {
    hinted = true;
    wake();
  });
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort);
  let position = from;
  try {
    while (!signal.aborted) {
      hinted = false;
      const rows = await readChanges(database, agent, position);
      for (const { owner, number, path, change, author, program, at } of rows) {
        if (signal.aborted) return;
        position = { ...position, [owner]: number };
        const who = { ...(author !== null && { author }), ...(program !== null && { program }) };
        yield { owner, path, change, version: number, at, position, ...who };
      }
      if (rows.length === PAGE) continue;
      const sleeping = new AbortController();
      const hint = new Promise<void>((resolve) => (wake = resolve));
      if (!hinted && !signal.aborted) {
        await Promise.race([hint, delay(LOOK_EVERY_MS, undefined, { signal: sleeping.signal }).catch(() => undefined)]);
      }
      sleeping.abort();
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await hints.close();
  }
}

/** Contract: nothing when the database cannot be reached: the next look may find it again. */
async function readChanges(database: Database, agent: string, position: AssetPosition): Promise<readonly ChangeRow[]> {
  try {
    return (await database.query<ChangeRow>(CHANGES, [agent, JSON.stringify(position)])).rows;
  } catch (error) {
    if (IkigaiError.is(error, "unavailable")) return [];
    throw error;
  }
}

/** Where everything that `agent` can see stands now. */
export async function currentPosition(database: Database, agent: string): Promise<AssetPosition> {
  const { rows } = await database.query<{ owner: string; number: string }>(
    `select owner, number from asset_clock
     where owner = $1 or owner in (select owner from asset_share where agent = $1)`,
    [agent],
  );
  return Object.fromEntries(rows.map(({ owner, number }) => [owner, number]));
}

/**
 * Where everything stood at a moment of this process's clock (`performance.now()`).
 *
 * Contract: never later than that, so nothing that came after is missed. The database's clock was at `now` when it
 * answered, or a little further; so going back from there by the time since the moment cannot go too little.
 */
export async function positionAt(database: Database, agent: string, moment: number): Promise<AssetPosition> {
  const { rows: clock } = await database.query<{ now: number }>(
    "select extract(epoch from clock_timestamp())::float8 as now",
  );
  const since = (clock[0]?.now ?? 0) - (performance.now() - moment + 1) / 1_000;
  const { rows } = await database.query<{ owner: string; number: string }>(
    `select c.owner, c.number - (select count(*) from asset_revision r
       where r.owner = c.owner and r.at >= to_timestamp($2)) as number
     from asset_clock c where c.owner = $1 or c.owner in (select owner from asset_share where agent = $1)`,
    [agent, since],
  );
  return Object.fromEntries(rows.map(({ owner, number }) => [owner, number]));
}
