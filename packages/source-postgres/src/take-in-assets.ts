import type { AssetCategory } from "@ikigai/core/assets";
import type { Transaction } from "@ikigai/database";

/** Assets that were kept without a database. */
export interface KeptAssets {
  readonly documents: readonly {
    readonly owner: string;
    readonly path: string;
    /** Absent: it was removed. */
    readonly present?: {
      readonly version: string;
      readonly tokens: number;
      readonly bytes: number;
      readonly category: AssetCategory;
      readonly description: string;
      readonly readOnly: boolean;
      readonly archived: boolean;
      readonly createdAt: string;
      readonly updatedAt: string;
    };
    /** Numbers of its states, oldest first. */
    readonly states: readonly number[];
  }[];
  readonly states: readonly {
    readonly owner: string;
    readonly number: number;
    readonly text: string;
    readonly author: string;
    readonly reason?: string;
    readonly at: string;
  }[];
  /** The number that the last change of each owner got. */
  readonly changes: readonly { readonly owner: string; readonly number: number }[];
}

/**
 * Takes assets that were kept without a database into the tables, with their states.
 *
 * Contract: an asset that the store has already stays as it is, and what was kept of that path is left out. Numbers stay
 * the same, unless the owner has assets here: then they go on behind those.
 */
export async function takeInAssets(tx: Transaction, { documents, states, changes }: KeptAssets): Promise<void> {
  const textOf = new Map(states.map((state) => [keyOf(state.owner, state.number), state]));
  for (const { owner, number } of changes) {
    const { rows } = await tx.query<{ before: string }>(
      `insert into asset_clock as c (owner, number) values ($1, $2)
       on conflict (owner) do update set number = c.number + $2 returning number - $2 as before`,
      [owner, number],
    );
    const before = Number(rows[0]?.before ?? 0);
    for (const document of documents.filter((one) => one.owner === owner)) {
      const { rows: known } = await tx.query("select from asset_revision where owner = $1 and path = $2 limit 1", [
        owner,
        document.path,
      ]);
      if (known.length === 0) takeInAsset(tx, document, textOf, before);
    }
  }
}

type Kept = KeptAssets["documents"][number];
type KeptState = KeptAssets["states"][number];

function takeInAsset(
  tx: Transaction,
  { owner, path, present, states }: Kept,
  textOf: ReadonlyMap<string, KeptState>,
  before: number,
): void {
  for (const [index, number] of states.entries()) {
    const state = textOf.get(keyOf(owner, number));
    if (state === undefined) continue;
    const { text, author, reason, at } = state;
    tx.send(
      `insert into asset_revision (owner, number, path, change, content, author, reason, at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [owner, number + before, path, index === 0 ? "created" : "updated", text, author, reason ?? null, at],
    );
  }
  const text = present && textOf.get(keyOf(owner, Number(present.version)))?.text;
  if (present === undefined || text === undefined) return;
  const { version, tokens, bytes, category, description, readOnly, archived, createdAt, updatedAt } = present;
  tx.send(
    `insert into asset (owner, path, content, version, tokens, bytes, category, description, read_only, archived,
       created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      owner,
      path,
      text,
      Number(version) + before,
      tokens,
      bytes,
      category,
      description,
      readOnly,
      archived,
      createdAt,
      updatedAt,
    ],
  );
}

function keyOf(owner: string, number: number): string {
  return JSON.stringify([owner, number]);
}
