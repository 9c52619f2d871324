import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { Database } from "@ikigai/database";
import { changeChannel } from "./change-asset.ts";

/** A change that was committed. */
export interface CommittedChange {
  readonly owner: string;
  readonly path: string;
  readonly change: "created" | "updated" | "removed";
  readonly version: string;
  readonly author?: string;
  /** Marks the program that made it. */
  readonly program?: string;
  readonly at: Date;
  /** The position behind this change. */
  readonly position: FeedPosition;
}

/** How far the changes of each owner were read. Numbers of one owner have no gaps that could still be filled. */
export type FeedPosition = Readonly<Record<string, string>>;

interface ChangeRow {
  readonly owner: string;
  readonly number: string;
  readonly path: string;
  readonly change: CommittedChange["change"];
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
  from: FeedPosition,
  signal: AbortSignal,
): AsyncGenerator<CommittedChange> {
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
async function readChanges(database: Database, agent: string, position: FeedPosition): Promise<readonly ChangeRow[]> {
  try {
    return (await database.query<ChangeRow>(CHANGES, [agent, JSON.stringify(position)])).rows;
  } catch (error) {
    if (IkigaiError.is(error, "unavailable")) return [];
    throw error;
  }
}

/** Where everything that `agent` can see stands now. */
export async function currentPosition(database: Database, agent: string): Promise<FeedPosition> {
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
export async function positionAt(database: Database, agent: string, moment: number): Promise<FeedPosition> {
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

export function writePosition(position: FeedPosition): string {
  return JSON.stringify(position);
}

/** The further of two positions, owner by owner. Contract: as {@link readPosition}. */
export function laterPosition(one: string, other: string): string {
  const [first, second] = [readPosition(one), readPosition(other)];
  const further = (owner: string): [string, string] => {
    const [a, b] = [first[owner] ?? "0", second[owner] ?? "0"];
    return [owner, BigInt(a) > BigInt(b) ? a : b];
  };
  return writePosition(Object.fromEntries(Object.keys({ ...first, ...second }).map(further)));
}

/** Contract: `invalid_input` for text that no position wrote. */
export function readPosition(cursor: string): FeedPosition {
  try {
    const parsed: unknown = JSON.parse(cursor);
    if (typeof parsed === "object" && parsed !== null && Object.values(parsed).every(isNumber)) {
      return parsed as FeedPosition;
    }
  } catch {
    // Reported below, like any other text.
  }
  throw new IkigaiError("invalid_input", `${JSON.stringify(cursor.slice(0, 60))} is no position of this stream`, {
    hint: "Start without a cursor.",
  });
}

function isNumber(value: unknown): boolean {
  return typeof value === "string" && /^\d{1,18}$/.test(value);
}
