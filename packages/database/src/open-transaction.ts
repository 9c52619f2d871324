import { IkigaiError } from "@ikigai/core";
import type { ClientBase, QueryResult } from "pg";
import { beginWith } from "./client/begin-with.ts";
import { statementOf } from "./client/statement.ts";
import type { Transaction } from "./database.ts";
import { sqlState, toIkigaiError } from "./errors.ts";

/** A transaction on a connection that sends statements without waiting for the answers to those before. */
export interface OpenTransaction {
  readonly sql: Transaction;
  /** Whether the database knows of it: it begins with its first statement. */
  readonly begun: boolean;
  /** What the first statement failed with that was sent and not waited for. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Refuses statements of the work from now on. */
  close(): void;
  /** Runs one more. Contract: sent behind all others, and only once the transaction is known to have begun. */
  run(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  /** Waits until all statements so far are sent. Contract: rejects when it is known by then that one has failed. */
  settle(): Promise<void>;
}

/** The only news in it is that another statement failed before. */
export const ALREADY_FAILED = "25P02";

export function openTransaction(client: ClientBase, begin: string, signal: AbortSignal | undefined): OpenTransaction {
  let open = true;
  let failure: { readonly error: unknown } | undefined;
  /** Settles, and never rejects, when the first statement is answered. */
  let first: Promise<void> | undefined;
  let answered = false;
  let firstFailed = false;

  function assertOpen(): void {
    assertNotAborted(signal);
    if (!open) throw new IkigaiError("internal", "The transaction has already ended");
  }

  function note(error: unknown): void {
    if (sqlState(error) !== ALREADY_FAILED) failure ??= { error };
  }

  async function runFirst(text: string, values: readonly unknown[] | undefined): Promise<QueryResult> {
    if (values !== undefined && values.length > 0) return beginWith(client, begin, statementOf(text, values));
    await client.query(begin);
    return client.query(text);
  }

  async function run(
    text: string,
    values?: readonly unknown[],
    onError: (error: unknown) => void = ignore,
  ): Promise<QueryResult> {
    if (first === undefined) {
      const running = runFirst(text, values);
      first = running
        .catch((error: unknown) => {
          firstFailed = true;
          onError(error);
        })
        .then(() => void (answered = true));
      return running;
    }
    if (!answered) await first;
    return new Promise((resolve, reject) => {
      // Called at once for what cannot be sent, so that nothing is committed without it.
      client.query(statementOf(text, values), (error: Error | undefined, result) => {
        if (!error) resolve(result);
        else {
          onError(error);
          reject(error);
        }
      });
    });
  }

  /** Contract: nothing is sent behind a transaction that has not begun, where it would be carried out by itself. */
  async function runForWork(...statement: Parameters<typeof run>): Promise<QueryResult> {
    if (first !== undefined && !answered) {
      await first;
      assertNotAborted(signal);
    }
    if (firstFailed) throw Object.assign(new Error("An earlier statement failed"), { code: ALREADY_FAILED });
    return run(...statement);
  }

  return {
    sql: {
      async query(text, values) {
        assertOpen();
        try {
          const { rows, rowCount } = await runForWork(text, values);
          return { rows, count: rowCount ?? 0 };
        } catch (error) {
          throw toIkigaiError(failure?.error ?? error);
        }
      },
      send(text, values) {
        assertOpen();
        runForWork(text, values, note).catch(note);
      },
    },
    get begun() {
      return first !== undefined;
    },
    get failure() {
      return failure;
    },
    close: () => void (open = false),
    run: (text, values) => run(text, values),
    async settle() {
      await first;
      if (failure !== undefined) throw failure.error;
      // It may not even have begun, and then there is nothing to commit.
      if (firstFailed) throw failedBefore();
    },
  };
}

/** Contract: for work that did not pass on what a statement told it. */
export function failedBefore(): IkigaiError {
  return new IkigaiError("internal", "A statement of the transaction had failed, so it was rolled back");
}

export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new IkigaiError("aborted", "The transaction was aborted", { cause: signal.reason });
}

function ignore(): void {}
