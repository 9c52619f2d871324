import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { Connections, Lease } from "./client/connections.ts";
import { statementOf } from "./client/statement.ts";
import type { Sql } from "./database.ts";
import { databaseCause, isCollision, isConnectionLoss, isStaleStatement, toIkigaiError } from "./errors.ts";
import { isCommitted, recordKey } from "./transaction-keys.ts";

export interface TransactionOptions {
  /** Default `read committed`. */
  readonly isolation?: "read committed" | "repeatable read" | "serializable";
  /** How often work is tried in all when it collides with others. Default 10. */
  readonly attempts?: number;
  /**
   * Makes the transaction happen once, however often it is asked for, and tells whether a commit whose answer was
   * lost took place. The result of `work` must survive JSON: a repetition gets it from the database.
   */
  readonly idempotencyKey?: string;
  /** Contract: no statement begins after it aborts, and what was begun is rolled back. */
  readonly signal?: AbortSignal;
}

const ATTEMPTS = 10;

/** One run of the work, and what is known of its end. */
type Outcome<T> =
  | { readonly kind: "committed"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown; readonly again: boolean }
  | { readonly kind: "in doubt"; readonly error: unknown; readonly value: T };

export async function runTransaction<T>(
  connections: Connections,
  work: (tx: Sql) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const attempts = options.attempts ?? ATTEMPTS;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(connections, work, options);
    if (outcome.kind === "committed") return outcome.value;
    if (outcome.kind === "in doubt") {
      if (options.idempotencyKey === undefined) throw inDoubt(outcome.error);
      if (await isCommitted(connections, options.idempotencyKey)) return outcome.value;
    } else if (!outcome.again) throw toIkigaiError(outcome.error);
    if (attempt >= attempts) throw exhausted(outcome.error, attempts);
    await delay(Math.random() * 5 * attempt);
  }
}

async function tryOnce<T>(
  connections: Connections,
  work: (tx: Sql) => Promise<T>,
  options: TransactionOptions,
): Promise<Outcome<T>> {
  let lease: Lease;
  try {
    assertNotAborted(options.signal);
    lease = await connections.acquire();
  } catch (error) {
    return { kind: "failed", error, again: false };
  }
  const tx = transactionSql(lease, options.signal);
  let value: T;
  try {
    await lease.client.query(`begin isolation level ${options.isolation ?? "read committed"}`);
    value = await work(tx);
    assertNotAborted(options.signal);
    if (options.idempotencyKey !== undefined) {
      const earlier = await recordKey<T>(tx, options.idempotencyKey, value);
      if (earlier !== undefined) {
        await rollBack(lease);
        return { kind: "committed", value: earlier.value };
      }
    }
  } catch (error) {
    tx.close();
    const cause = databaseCause(error);
    const lost = isConnectionLoss(cause) || isStaleStatement(cause);
    if (lost) lease.release(true);
    else await rollBack(lease);
    return { kind: "failed", error, again: lost || isCollision(cause) };
  }
  tx.close();
  return commit(lease, value);
}

async function commit<T>(lease: Lease, value: T): Promise<Outcome<T>> {
  try {
    const { command } = await lease.client.query("commit");
    lease.release(false);
    if (command === "COMMIT") return { kind: "committed", value };
    const error = new IkigaiError("internal", "A statement of the transaction had failed, so it was rolled back");
    return { kind: "failed", error, again: false };
  } catch (error) {
    const refused = "severity" in (error as object) && !isConnectionLoss(error);
    lease.release(!refused);
    if (refused) return { kind: "failed", error, again: isCollision(error) };
    return { kind: "in doubt", error, value };
  }
}

/** Contract: a statement after the end of the transaction is refused, not run outside it. */
function transactionSql(lease: Lease, signal: AbortSignal | undefined): Sql & { close(): void } {
  let open = true;
  return {
    async query(text, values) {
      assertNotAborted(signal);
      if (!open) throw new IkigaiError("internal", "The transaction has already ended");
      try {
        const { rows, rowCount } = await lease.client.query(statementOf(text, values));
        return { rows, count: rowCount ?? 0 };
      } catch (error) {
        throw toIkigaiError(error);
      }
    },
    close: () => void (open = false),
  };
}

async function rollBack(lease: Lease): Promise<void> {
  try {
    await lease.client.query("rollback");
    lease.release(false);
  } catch {
    lease.release(true);
  }
}

function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new IkigaiError("aborted", "The transaction was aborted", { cause: signal.reason });
}

function inDoubt(error: unknown): IkigaiError {
  return new IkigaiError("unavailable", "The connection broke during the commit: the change may or may not be stored", {
    hint: "Read the present state before trying again.",
    details: { inDoubt: true },
    cause: error,
  });
}

function exhausted(error: unknown, attempts: number): IkigaiError {
  const known = toIkigaiError(error);
  return new IkigaiError(known.code, `${known.message} (after ${attempts} attempts)`, {
    hint: known.hint ?? "Try again in a moment.",
    cause: error,
  });
}
