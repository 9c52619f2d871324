import { IkigaiError, type MemoryPermission } from "@ikigai/core";
import type { AssetCategory } from "@ikigai/core/assets";
import type { Sql } from "@ikigai/database";
import type { Asset, AssetInfo } from "./asset.ts";

export interface AssetRow {
  readonly owner: string;
  readonly path: string;
  readonly content: string;
  readonly version: string;
  readonly tokens: number;
  readonly bytes: number;
  readonly category: AssetCategory;
  readonly description: string;
  readonly read_only: boolean;
  readonly archived: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly permission: MemoryPermission | null;
}

export const INFO_COLUMNS =
  "a.owner, a.path, a.version, a.tokens, a.bytes, a.category, a.description, a.read_only, a.archived, a.created_at, a.updated_at";

const OWN = `select ${INFO_COLUMNS}, a.content, null as permission from asset a where a.owner = $1 and a.path = $2`;
const SHARED = `select ${INFO_COLUMNS}, a.content, s.permission
  from asset_share s join asset a on a.owner = s.owner and a.path = s.path
  where s.agent = $1 and s.path = $2 and s.owner <> $1`;
const FIND = `${OWN} union all ${SHARED}`;

/**
 * The asset that `agent` means by `path`: its own, else the one that is shared with it.
 *
 * Contract: `ambiguous` when several others share one of that name.
 */
export async function findAsset(sql: Sql, agent: string, path: string): Promise<Asset | undefined> {
  const { rows } = await sql.query<AssetRow>(FIND, [agent, path]);
  const own = rows.find(({ owner }) => owner === agent);
  if (own !== undefined) return toAsset(own);
  const [only, another] = rows;
  if (another !== undefined) throw ambiguous(path, rows);
  return only === undefined ? undefined : toAsset(only);
}

/** Like {@link findAsset}, and nobody changes the asset until the transaction ends. */
export async function lockAsset(tx: Sql, agent: string, path: string): Promise<Asset | undefined> {
  const found = await findAsset(tx, agent, path);
  if (found === undefined) return undefined;
  const { count } = await tx.query("select from asset where owner = $1 and path = $2 for update", [found.owner, path]);
  // With the row locked, it cannot change after it is read.
  return count === 0 ? undefined : findAsset(tx, agent, path);
}

export function toInfo(row: Omit<AssetRow, "content">): AssetInfo {
  return {
    owner: row.owner,
    path: row.path,
    version: row.version,
    tokens: row.tokens,
    bytes: row.bytes,
    category: row.category,
    description: row.description,
    readOnly: row.read_only,
    archived: row.archived,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.permission !== null && { shared: row.permission }),
  };
}

function toAsset(row: AssetRow): Asset {
  return { ...toInfo(row), text: row.content };
}

function ambiguous(path: string, rows: readonly AssetRow[]): IkigaiError {
  const owners = rows.map(({ owner }) => owner).toSorted();
  return new IkigaiError("ambiguous", `"${path}" is shared by ${owners.length} agents: ${owners.join(", ")}`, {
    hint: "Ask one of them to share it under another name.",
    details: { owners },
  });
}
