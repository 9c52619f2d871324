import { IkigaiError, messageOf } from "@ikigai/core";
import { Pool, type PoolConfig } from "pg";
import type { CommonSettings } from "../options.ts";
import type { Lease } from "./connections.ts";

/** What every connection has, to whichever engine. */
export function connectionSettings(settings: CommonSettings): PoolConfig {
  return {
    options: `-c search_path=${settings.schema},public`,
    application_name: "ikigai",
    connectionTimeoutMillis: settings.connectTimeoutMs,
    // The client's own limit is for an engine that does not answer at all.
    query_timeout: settings.statementTimeoutMs + 5_000,
    keepAlive: true,
  };
}

export function createPool(config: PoolConfig, settings: CommonSettings): Pool {
  const pool = new Pool({
    ...connectionSettings(settings),
    ...config,
    max: settings.maxConnections,
    // A transaction does not wait for answers it does not need.
    pipeline: true,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
  });
  // Without listeners a connection that breaks ends the process; the next statement reports it.
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  return pool;
}

/** Contract: waiting longer than the settings allow for a free connection is a `timeout` that says so. */
export async function leaseFrom(pool: Pool, settings: CommonSettings): Promise<Lease> {
  try {
    const client = await pool.connect();
    return { client, release: (broken) => client.release(broken) };
  } catch (error) {
    const busy = pool.totalCount >= settings.maxConnections;
    if (!busy || !messageOf(error).startsWith("timeout exceeded")) throw error;
    throw new IkigaiError(
      "timeout",
      `None of the ${settings.maxConnections} database connections became free within ${settings.connectTimeoutMs} ms`,
      { hint: "Try again, or allow more connections.", cause: error },
    );
  }
}

function ignore(): void {}
