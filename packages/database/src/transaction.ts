import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type { Connections, Lease } from "./client/connections.ts";
import type { Transaction } from "./database.ts";
import { databaseCause, isCollision, isConnectionLoss, isStaleStatement, sqlState, toIkigaiError } from "./errors.ts";
import {
  ALREADY_FAILED,
  assertNotAborted,
  failedBefore,
  openTransaction,
  type OpenTransaction,
} from "./open-transaction.ts";
import { RECORD, resultOf, writeResult } from "./transaction-keys.ts";

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
  /** A transaction with this key may have taken place: this one, or one before it. */
  | { readonly kind: "in doubt"; readonly error: unknown };

export async function runTransaction<T>(
  connections: Connections,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const attempts = options.attempts ?? ATTEMPTS;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(connections, work, options);
    if (outcome.kind === "committed") return outcome.value;
    if (outcome.kind === "in doubt") {
      if (options.idempotencyKey === undefined) throw inDoubt(outcome.error);
      const known = await resultOf(connections, options.idempotencyKey);
      if (known !== undefined) return known.value as T;
    } else if (!outcome.again) throw toIkigaiError(outcome.error);
    if (attempt >= attempts) throw exhausted(outcome.error, attempts);
    await delay(Math.random() * 5 * attempt);
  }
}

async function tryOnce<T>(
  connections: Connections,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<Outcome<T>> {
  const { isolation = "read committed", idempotencyKey: key, signal } = options;
  let lease: Lease;
  try {
    assertNotAborted(signal);
    lease = await connections.acquire();
  } catch (error) {
    return { kind: "failed", error, again: false };
  }
  const tx = openTransaction(lease.client, `begin isolation level ${isolation}`, signal);
  let value: T;
  let record: readonly [key: string, result: string] | undefined;
  try {
    value = await work(tx.sql);
    assertNotAborted(signal);
    if (key !== undefined) record = [key, writeResult(value)];
    await tx.settle();
  } catch (error) {
    await tx.settle().catch(ignore);
    tx.close();
    return giveUp(lease, tx, error);
  }
  tx.close();
  return commit(lease, tx, value, record);
}

/** Contract: the error of the first statement that failed is what counts, whoever was waiting for which. */
async function giveUp<T>(lease: Lease, tx: OpenTransaction, error: unknown): Promise<Outcome<T>> {
  const broken = isUnusable(databaseCause(error)) || (tx.begun && !(await rollBack(tx)));
  const reason = tx.failure?.error ?? error;
  const cause = databaseCause(reason);
  lease.release(broken || isUnusable(cause));
  return { kind: "failed", error: reason, again: isUnusable(cause) || isCollision(cause) };
}

async function rollBack(tx: OpenTransaction): Promise<boolean> {
  return tx.run("rollback").then(
    () => true,
    () => false,
  );
}

/** Sends the key and the commit behind what is still under way. Contract: never rejects. */
async function commit<T>(
  lease: Lease,
  tx: OpenTransaction,
  value: T,
  record: readonly [key: string, result: string] | undefined,
): Promise<Outcome<T>> {
  const recording = record === undefined ? undefined : refusalOf(tx.run(RECORD, record));
  if (!tx.begun) {
    lease.release(false);
    return { kind: "committed", value };
  }
  const committing = tx.run("commit").then(
    ({ command }) => ({ command, error: undefined }),
    (error: unknown) => ({ command: undefined, error }),
  );
  const recorded = await recording;
  const { command, error } = await committing;
  const known = command !== undefined || isRefusal(error);
  const refusal = isRefusal(tx.failure?.error) ? tx.failure?.error : (recorded ?? (known ? error : undefined));
  lease.release(!known || isUnusable(refusal));
  if (isRepetition(refusal, recorded)) return { kind: "in doubt", error: refusal };
  if (refusal !== undefined && sqlState(refusal) !== ALREADY_FAILED) {
    return { kind: "failed", error: refusal, again: isUnusable(refusal) || isCollision(refusal) };
  }
  if (!known) return { kind: "in doubt", error };
  if (command === "COMMIT" && refusal === undefined) return { kind: "committed", value };
  return { kind: "failed", error: failedBefore(), again: false };
}

/** What the database said against a statement; absent when it ran, or when nothing is known. */
function refusalOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => undefined,
    (error: unknown) => (isRefusal(error) ? error : undefined),
  );
}

function isRefusal(error: unknown): boolean {
  return typeof error === "object" && error !== null && "severity" in error && !isConnectionLoss(error);
}

/** Whether the key was there before. */
function isRepetition(refusal: unknown, recorded: unknown): boolean {
  return refusal !== undefined && refusal === recorded && sqlState(refusal) === "23505";
}

/** Whether to go on with another connection. */
function isUnusable(cause: unknown): boolean {
  return isConnectionLoss(cause) || isStaleStatement(cause);
}

function ignore(): void {}

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
