import type { TextRevision } from "@ikigai/core";
import type { Sql } from "@ikigai/database";
import { findAsset } from "./find-asset.ts";

/** One state that an asset was in. */
export type AssetRevision = TextRevision;

interface RevisionRow {
  readonly number: string;
  readonly at: Date;
  readonly content: string;
  readonly author: string | null;
  readonly reason: string | null;
}

const PAGE = 50;

export async function* listRevisions(sql: Sql, agent: string, path: string): AsyncGenerator<AssetRevision> {
  const owner = (await findAsset(sql, agent, path))?.owner ?? agent;
  let below: string | null = null;
  for (;;) {
    const page: readonly RevisionRow[] = (
      await sql.query<RevisionRow>(
        `select number, at, content, author, reason from asset_revision
         where owner = $1 and path = $2 and content is not null and ($3::bigint is null or number < $3)
         order by number desc limit ${PAGE}`,
        [owner, path, below],
      )
    ).rows;
    for (const { number, at, content, author, reason } of page) {
      yield {
        version: number,
        at,
        text: content,
        ...(author !== null && { author }),
        ...(reason !== null && { message: reason }),
      };
    }
    if (page.length < PAGE) return;
    below = page.at(-1)?.number ?? null;
  }
}
