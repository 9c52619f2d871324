import { IkigaiError, isMemoryPermission, type MemoryPermission } from "@ikigai/core";
import { estimateTokens } from "@ikigai/core/text";
import { checkedAssetOwner, checkedAssetPath, noAsset, writeAssetPosition } from "@ikigai/core/assets";
import type { Database, Transaction } from "@ikigai/database";
import { randomUUID } from "node:crypto";
import type { Asset, AssetHook, AssetInfo, AssetState, AssetUpdate } from "./asset.ts";
import { currentPosition } from "./change-feed.ts";
import { type ChangeOptions, removeAsset, writeAsset } from "./change-asset.ts";
import { describeAsset } from "./describe-asset.ts";
import { findAsset, lockAsset } from "./find-asset.ts";
import { listAssets, type ListOptions } from "./list-assets.ts";
import { pruneRevisions } from "./prune-revisions.ts";
import { type AssetRevision, listRevisions } from "./revisions.ts";

export interface AssetStoreOptions {
  /** Tokens of a text, as the model counts them. Default: an estimate, a third of its bytes, rounded up. */
  readonly countTokens?: (text: string) => number;
  /** Run inside the transaction of every change, in this order. */
  readonly hooks?: readonly AssetHook[];
  /** Marks the changes of this program, so that it can tell them from those of others. Default: something random. */
  readonly program?: string;
}

/**
 * Stored assets, each owned by one agent.
 *
 * Contract: an agent sees its own assets and those shared with it; its own comes first. Paths are brought to one
 * canonical name, or refused with `invalid_input`. Everything else than reading is one transaction.
 */
export interface AssetStore {
  read(agent: string, path: string): Promise<Asset | undefined>;
  /** In code-point order. Contract: the prefix is literal. */
  list(agent: string, prefix: string, options?: ListOptions): AsyncIterable<AssetInfo>;
  write(path: string, text: string, options: ChangeOptions): Promise<AssetState>;
  remove(path: string, options: ChangeOptions): Promise<void>;
  /** Newest first; states that are gone are in it, removals are not. */
  history(agent: string, path: string): AsyncIterable<AssetRevision>;
  /**
   * Changes text and details together.
   *
   * Contract: with a text as `write`, without one `not_found` when there is no such asset. Only the owner changes
   * details. A read-only asset takes a description, a category or a text only together with `readOnly: false`.
   */
  update(path: string, update: AssetUpdate, options: ChangeOptions): Promise<void>;
  /** Opens an own asset to another agent; `undefined` closes it again. */
  share(owner: string, path: string, agent: string, permission: MemoryPermission | undefined): Promise<void>;
  /** Runs `work` while nobody can change the asset, in one transaction with it. Contract: `not_found` when absent. */
  withLocked<T>(agent: string, path: string, work: (tx: Transaction, asset: Asset) => Promise<T>): Promise<T>;
  /** Where the changes that an agent can see stand now: a cursor of their stream. */
  position(agent: string): Promise<string>;
  /** Removes states older than `before`, never the present ones nor those to `keep`. Gives their number. */
  prune(before: Date, keep?: readonly { readonly owner: string; readonly version: string }[]): Promise<number>;
}

export function createAssetStore(database: Database, options: AssetStoreOptions = {}): AssetStore {
  const context = {
    database,
    countTokens: options.countTokens ?? estimateTokens,
    hooks: options.hooks ?? [],
    program: options.program ?? randomUUID(),
  };
  return {
    read: async (agent, path) => findAsset(database, checkedAssetOwner(agent), checkedAssetPath(path)),
    list: (agent, prefix, listOptions) => listAssets(database, checkedAssetOwner(agent), prefix, listOptions),
    write: async (path, text, change) => writeAsset(context, checkedAssetPath(path), { text }, checked(change)),
    remove: async (path, change) => removeAsset(context, checkedAssetPath(path), checked(change)),
    history: (agent, path) => listRevisions(database, checkedAssetOwner(agent), checkedAssetPath(path)),
    async update(path, { text, ...rest }, change) {
      const name = checkedAssetPath(path);
      if (text === undefined) await describeAsset(context, name, rest, checked(change));
      else await writeAsset(context, name, { text, ...rest }, checked(change));
    },
    share: async (owner, path, agent, permission) =>
      shareAsset(database, checkedAssetOwner(owner), checkedAssetPath(path), checkedAssetOwner(agent), permission),
    async withLocked(agent, path, work) {
      const name = checkedAssetPath(path);
      return database.transaction(async (tx) => {
        const asset = await lockAsset(tx, checkedAssetOwner(agent), name);
        if (asset === undefined) throw noAsset(name);
        return work(tx, asset);
      });
    },
    position: async (agent) => writeAssetPosition(await currentPosition(database, checkedAssetOwner(agent))),
    async prune(before, keep = []) {
      const count = await pruneRevisions(database, before, keep);
      // A server does so by itself; in the embedded engine the room of rows that are gone is never used again without it.
      if (count > 0 && database.engine === "embedded") await database.query("vacuum asset, asset_revision");
      return count;
    },
  };
}

function checked(change: ChangeOptions): ChangeOptions {
  return { ...change, agent: checkedAssetOwner(change.agent) };
}

async function shareAsset(
  database: Database,
  owner: string,
  path: string,
  agent: string,
  permission: MemoryPermission | undefined,
): Promise<void> {
  if (permission === undefined) {
    await database.query("delete from asset_share where owner = $1 and path = $2 and agent = $3", [owner, path, agent]);
    return;
  }
  if (!isMemoryPermission(permission) || agent === owner) {
    throw new IkigaiError("invalid_input", `"${path}" cannot be shared with ${agent} as ${permission}`, {
      hint: "Name another agent and a permission such as read_only or read_write.",
    });
  }
  const { count } = await database.query(
    `insert into asset_share (owner, path, agent, permission)
     select owner, path, $3, $4 from asset where owner = $1 and path = $2
     on conflict (agent, path, owner) do update set permission = $4`,
    [owner, path, agent, permission],
  );
  if (count === 0) throw noAsset(path);
}
