import type { QueryResultRow } from "pg";
import type { Connections, Lease } from "./client/connections.ts";
import { embeddedConnections } from "./client/embedded-connections.ts";
import { serverConnections } from "./client/server-connections.ts";
import { statementOf } from "./client/statement.ts";
import { isConnectionLoss, isStaleStatement, toIkigaiError } from "./errors.ts";
import { type Hints, listenOn } from "./listen.ts";
import { commonSettings, type DatabaseOptions } from "./options.ts";
import { type DatabaseStatus, readStatus } from "./status.ts";
import { runTransaction, type TransactionOptions } from "./transaction.ts";

export interface QueryResult<Row> {
  readonly rows: readonly Row[];
  /** Rows returned or changed. */
  readonly count: number;
}

/** Something that runs SQL. The part of a database that domain packages pass around. */
export interface Sql {
  /** Contract: one statement; rejects with an `IkigaiError` whose cause is the database's own error. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
}

/** What the work of a transaction is given. */
export interface Transaction extends Sql {
  /**
   * Sends a statement whose answer nobody needs, so that it travels with those that follow.
   *
   * Contract: runs in its place among the others. When it fails the transaction does, with this error.
   */
  send(text: string, values?: readonly unknown[]): void;
}

/** PostgreSQL, embedded or on a server: the same to its users. */
export interface Database extends Sql {
  readonly engine: "embedded" | "server";
  /** Where unqualified names lead. */
  readonly schema: string;
  /**
   * Runs `work` inside one transaction.
   *
   * Contract: commits when `work` resolves, rolls back when it rejects. `work` runs again after a collision with
   * another transaction or a connection lost before the commit, so it touches nothing but `tx`. Work uses only what
   * ends with the transaction: no `SET` without `LOCAL`, no session locks, no temporary tables, no prepared names,
   * no savepoints.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `onHint` when somebody notifies `channel`, and after every connection, because something may have been
   * missed. Contract: a hint to look, never the news itself; `onHint` must not throw.
   */
  listen(channel: string, onHint: () => void): Hints;
  status(): Promise<DatabaseStatus>;
  /** Waits for what runs, ends listening, then closes the connections. The keeper of an embedded store ends by itself. */
  close(): Promise<void>;
}

/**
 * A database that connects when it is first used.
 *
 * Contract: `invalid_input` for options that cannot be; everything else is reported by the first statement.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const embedded = "directory" in options;
  const connections = embedded ? embeddedConnections(options) : serverConnections(options);
  const { schema } = commonSettings(options);
  const sql: Sql = { query: (text, values) => queryOnce(connections, text, values) };
  const listeners = new Set<Hints>();
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    await Promise.all([...listeners].map((listener) => listener.close()));
    await connections.close();
  }

  return {
    ...sql,
    engine: embedded ? "embedded" : "server",
    schema,
    transaction: (work, transactionOptions) => runTransaction(connections, work, transactionOptions),
    listen(channel, onHint) {
      const listener = listenOn(connections, channel, onHint);
      listeners.add(listener);
      return {
        close() {
          listeners.delete(listener);
          return listener.close();
        },
      };
    },
    status: () => readStatus(sql, connections.location, embedded, schema),
    close: () => (closing ??= closeAll()),
  };
}

const READS = /^\s*select\b/i;

const ATTEMPTS = 3;

/** A statement that only reads runs again when its connection broke; others may have been carried out. */
function mayRunAgain(error: unknown, text: string): boolean {
  return isStaleStatement(error) || (isConnectionLoss(error) && READS.test(text));
}

async function queryOnce<Row>(
  connections: Connections,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<QueryResult<Row>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOn(await connections.acquire(), text, values);
    } catch (error) {
      if (!mayRunAgain(error, text) || attempt >= ATTEMPTS) throw toIkigaiError(error);
    }
  }
}

async function runOn<Row>(lease: Lease, text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
  let broken = true;
  try {
    const { rows, rowCount } = await lease.client.query<Row & QueryResultRow>(statementOf(text, values));
    broken = false;
    return { rows, count: rowCount ?? 0 };
  } catch (error) {
    broken = !("severity" in (error as object)) || isConnectionLoss(error) || isStaleStatement(error);
    throw error;
  } finally {
    lease.release(broken);
  }
}
