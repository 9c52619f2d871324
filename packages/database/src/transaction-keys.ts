import { setTimeout as delay } from "node:timers/promises";
import type { Connections } from "./client/connections.ts";
import type { Sql } from "./database.ts";
import { isConnectionLoss, toIkigaiError } from "./errors.ts";

const ATTEMPTS = 10;

/** Remembers that the transaction with this key took place; or gives the result of the one that did before. */
export async function recordKey<T>(tx: Sql, key: string, value: T): Promise<{ readonly value: T } | undefined> {
  const inserted = await tx.query(
    "insert into transaction_key (key, result) values ($1, $2) on conflict (key) do nothing",
    [key, JSON.stringify({ value })],
  );
  if (inserted.count === 1) return undefined;
  const { rows } = await tx.query<{ result: { value: T } }>("select result from transaction_key where key = $1", [key]);
  return rows[0]?.result;
}

/**
 * Whether the transaction with this key was committed.
 *
 * Contract: inserting the key waits for a transaction that still holds it, so the answer stays right.
 */
export async function isCommitted(connections: Connections, key: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryKey(connections, key);
    } catch (error) {
      if (!isConnectionLoss(error) || attempt >= ATTEMPTS) throw toIkigaiError(error);
      await delay(20 * attempt);
    }
  }
}

async function tryKey(connections: Connections, key: string): Promise<boolean> {
  const lease = await connections.acquire();
  let broken = true;
  try {
    await lease.client.query("begin");
    const { rowCount } = await lease.client.query(
      "insert into transaction_key (key, result) values ($1, '{}') on conflict (key) do nothing",
      [key],
    );
    await lease.client.query("rollback");
    broken = false;
    return rowCount === 0;
  } finally {
    lease.release(broken);
  }
}

/** Forgets the keys of transactions that nobody will ask about any more. */
export async function forgetKeys(sql: Sql, olderThanHours: number): Promise<number> {
  const { count } = await sql.query("delete from transaction_key where at < now() - make_interval(hours => $1::int)", [
    olderThanHours,
  ]);
  return count;
}
