import { setTimeout as delay } from "node:timers/promises";
import type { Connections } from "./client/connections.ts";
import type { Sql } from "./database.ts";
import { isConnectionLoss, toIkigaiError } from "./errors.ts";

const ATTEMPTS = 10;

/** Remembers that the transaction with this key took place, and what it gave. Fails when one did before. */
export const RECORD = "insert into transaction_key (key, result) values ($1, $2)";

/** Contract: `value` is absent where the work gave nothing. */
interface Result {
  readonly value?: unknown;
}

export function writeResult(value: unknown): string {
  return JSON.stringify({ value });
}

/**
 * What the transaction with this key gave; absent when there is none.
 *
 * Contract: inserting the key waits for a transaction that still holds it, so the answer stays right.
 */
export async function resultOf(connections: Connections, key: string): Promise<Result | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryKey(connections, key);
    } catch (error) {
      if (!isConnectionLoss(error) || attempt >= ATTEMPTS) throw toIkigaiError(error);
      await delay(20 * attempt);
    }
  }
}

async function tryKey(connections: Connections, key: string): Promise<Result | undefined> {
  const lease = await connections.acquire();
  let broken = true;
  try {
    await lease.client.query("begin");
    const { rowCount } = await lease.client.query(
      "insert into transaction_key (key, result) values ($1, '{}') on conflict (key) do nothing",
      [key],
    );
    const { rows } = await lease.client.query<{ result: Result }>("select result from transaction_key where key = $1", [
      key,
    ]);
    await lease.client.query("rollback");
    broken = false;
    return rowCount === 0 ? rows[0]?.result : undefined;
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
