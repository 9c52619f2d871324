import type { TextRevision } from "@ikigai/core";
import type { Sql } from "@ikigai/database";
import { findAsset } from "./find-asset.ts";
import { type KeptRevision, revisionText } from "./revision-text.ts";

/** One state that an asset was in. */
export type AssetRevision = TextRevision;

interface RevisionRow extends KeptRevision {
  readonly number: string;
  readonly at: Date;
  readonly author: string | null;
  readonly reason: string | null;
  /** What the asset holds, for the state that it is in. */
  readonly now: string | null;
}

const PAGE = 50;
/** One statement, so that the newest state and the asset are of one moment. */
const STATES = `select number, at, content, kept_start, kept_end, author, reason,
    case when content is null then (select a.content from asset a where a.owner = r.owner and a.path = r.path) end as now
  from asset_revision r
  where owner = $1 and path = $2 and change <> 'removed' and ($3::bigint is null or number < $3)
  order by number desc limit ${PAGE}`;

/** The states of an asset, newest first. */
export async function* listRevisions(sql: Sql, agent: string, path: string): AsyncGenerator<AssetRevision> {
  const owner = (await findAsset(sql, agent, path))?.owner ?? agent;
  yield* revisionsOf(sql, owner, path);
}

/** As {@link listRevisions}, of an owner's own asset. */
export async function* revisionsOf(sql: Sql, owner: string, path: string): AsyncGenerator<AssetRevision> {
  let below: string | null = null;
  let newer: string | undefined;
  for (;;) {
    const { rows }: { readonly rows: readonly RevisionRow[] } = await sql.query<RevisionRow>(STATES, [
      owner,
      path,
      below,
    ]);
    for (const { number, at, author, reason, now, ...kept } of rows) {
      const text: string = now ?? revisionText(kept, newer, `state ${number} of "${path}"`);
      yield {
        version: number,
        at,
        text,
        ...(author !== null && { author }),
        ...(reason !== null && { message: reason }),
      };
      newer = text;
    }
    if (rows.length < PAGE) return;
    below = rows.at(-1)?.number ?? null;
  }
}

/** Says of the newest state what the asset held, before the asset holds something else. */
export const SETTLE_NEWEST = `update asset_revision set content = $3, kept_start = $4, kept_end = $5
  where owner = $1 and path = $2 and change <> 'removed' and content is null`;
