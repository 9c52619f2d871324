import type { Database, Transaction } from "@ikigai/database";
import { type FileStoreContent, takeFileStore } from "@ikigai/memory";

const DEFAULT_LIMIT = 100_000;

export interface TakeInFilesOptions {
  /** Tokens an agent may pin unless it was given another limit. Default 100,000. */
  readonly limit?: number;
  /** Takes the assets into their tables. */
  readonly takeInAssets: (tx: Transaction, assets: FileStoreContent["assets"]) => Promise<void>;
}

/**
 * Takes what a store in plain files kept, before there was a database, into the store.
 *
 * Contract: all or nothing, and once; what the store has already under the same name stays as it is. False when there was
 * nothing.
 */
export function takeInFiles(
  database: Database,
  folder: string,
  { limit = DEFAULT_LIMIT, takeInAssets }: TakeInFilesOptions,
): Promise<boolean> {
  return takeFileStore(folder, async ({ blocks, budgets, conversations, assets }) => {
    await database.transaction(async (tx) => {
      await takeInAssets(tx, assets);
      for (const block of blocks) await takeInBlock(tx, block);
      for (const budget of budgets) await takeInBudget(tx, budget, limit);
      for (const conversation of conversations) await takeInConversation(tx, conversation);
      return null;
    });
  });
}

async function takeInBlock(tx: Transaction, block: FileStoreContent["blocks"][number]): Promise<void> {
  const { record, history, shares, views, snapshots, updates } = block;
  const { id, owner, label, origin, revision } = record;
  const { count } = await tx.query(
    `insert into block (id, owner, label, origin_uri, revision, record) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [id, owner, label, origin?.uri ?? null, revision, JSON.stringify(record)],
  );
  if (count === 0) return;
  for (const [kind, rows] of [
    ["snapshot", snapshots],
    ["update", updates],
  ] as const) {
    for (const { revision: at, bytes } of rows) {
      tx.send("insert into block_bytes (block, kind, revision, bytes) values ($1, $2, $3, $4)", [
        id,
        kind,
        at,
        Buffer.from(bytes, "base64"),
      ]);
    }
  }
  for (const { revision: number, at, agent, operation, frontiers } of history) {
    tx.send(
      "insert into block_history (block, revision, at, agent, operation, frontiers) values ($1, $2, $3, $4, $5, $6)",
      [id, number, at, agent, operation, frontiers],
    );
  }
  for (const [agent, permission] of Object.entries(shares))
    tx.send("insert into block_share (block, agent, permission) values ($1, $2, $3)", [id, agent, permission]);
  for (const [agent, view] of Object.entries(views))
    tx.send("insert into block_view (block, agent, view) values ($1, $2, $3)", [id, agent, JSON.stringify(view)]);
}

async function takeInBudget(
  tx: Transaction,
  { agent, limit, pins }: FileStoreContent["budgets"][number],
  standard: number,
): Promise<void> {
  const pinned = pins.reduce((sum, { tokens }) => sum + tokens, 0);
  const { count } = await tx.query(
    "insert into budget (agent, max_tokens, pinned) values ($1, $2, $3) on conflict (agent) do nothing",
    [agent, Math.max(limit ?? standard, pinned), pinned],
  );
  if (count === 0) return;
  for (const { uri, owner, tokens, version, behind } of pins) {
    tx.send("insert into pin (agent, uri, owner, tokens, version, behind) values ($1, $2, $3, $4, $5, $6)", [
      agent,
      uri,
      owner,
      tokens,
      version,
      behind,
    ]);
  }
}

async function takeInConversation(
  tx: Transaction,
  conversation: FileStoreContent["conversations"][number],
): Promise<void> {
  const { id, agent, started_at, workspace, manifest, messages, marks, manifests } = conversation;
  const { count } = await tx.query(
    `insert into conversation (id, agent, started_at, workspace, manifest) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [id, agent, started_at, workspace ?? null, manifest === undefined ? null : JSON.stringify(manifest)],
  );
  if (count === 0) return;
  for (const [at, { message, hidden = false }] of messages.entries()) {
    tx.send("insert into message (conversation, position, id, data, hidden) values ($1, $2, $3, $4, $5)", [
      id,
      at + 1,
      message.id,
      JSON.stringify(message),
      hidden,
    ]);
  }
  for (const [name, position] of marks)
    tx.send("insert into conversation_mark (conversation, name, position) values ($1, $2, $3)", [id, name, position]);
  for (const { request, turn, at, manifest: recorded } of manifests) {
    tx.send("insert into manifest (conversation, request, turn, at, data) values ($1, $2, $3, $4, $5)", [
      id,
      request,
      turn,
      at,
      JSON.stringify(recorded),
    ]);
  }
}
