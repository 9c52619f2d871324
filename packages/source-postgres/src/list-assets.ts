import type { Sql } from "@ikigai/database";
import { afterPrefix } from "./after-prefix.ts";
import type { AssetInfo } from "./asset.ts";
import { type AssetRow, INFO_COLUMNS, toInfo } from "./find-asset.ts";

export interface ListOptions {
  /** Whether archived assets are listed too. Default false. */
  readonly archived?: boolean;
  readonly signal?: AbortSignal;
}

const PAGE = 500;

/** An own asset hides a shared one of the same name; of several shared ones the first owner's is shown. */
const LIST = `
  select distinct on (path) * from (
    (select ${INFO_COLUMNS}, null as permission, 0 as rank from asset a
      where a.owner = $1 and a.path >= $2 and ($3::text is null or a.path < $3) and a.path > $4
        and ($5 or not a.archived) order by a.path limit ${PAGE})
    union all
    (select ${INFO_COLUMNS}, s.permission, 1 as rank from asset_share s
      join asset a on a.owner = s.owner and a.path = s.path
      where s.agent = $1 and s.path >= $2 and ($3::text is null or s.path < $3) and s.path > $4
        and ($5 or not a.archived) order by a.path limit ${PAGE})
  ) visible order by path, rank, owner limit ${PAGE}`;

/** Contract: reads page by page, so that a list of any length costs bounded memory. */
export async function* listAssets(
  sql: Sql,
  agent: string,
  prefix: string,
  { archived = false, signal }: ListOptions = {},
): AsyncGenerator<AssetInfo> {
  if (prefix.includes("\0") || !prefix.isWellFormed()) return;
  let last = "";
  for (;;) {
    if (signal?.aborted) return;
    const { rows } = await sql.query<AssetRow>(LIST, [agent, prefix, afterPrefix(prefix) ?? null, last, archived]);
    for (const row of rows) yield toInfo(row);
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.path ?? "";
  }
}
