import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { isConnectionLoss } from "../errors.ts";
import type { KeeperOptions } from "../keeper/keeper.ts";
import { socketFolder } from "../keeper/socket.ts";
import { commonSettings, type EmbeddedOptions, userCacheDirectory } from "../options.ts";
import type { Connections } from "./connections.ts";
import { reachKeeper } from "./keeper-client.ts";
import { connectionSettings, createPool, leaseFrom } from "./pool.ts";

const ENGINE = "pglite-0.5.14";

/** Connections to the keeper of an embedded store, which is started and replaced as needed. */
export function embeddedConnections(options: EmbeddedOptions): Connections {
  const settings = commonSettings(options);
  const keeper = keeperOptions(options, settings.statementTimeoutMs);
  let current: { readonly port: number; readonly pool: pg.Pool } | undefined;
  let closed = false;

  async function target(): Promise<pg.PoolConfig & { port: number }> {
    const { port } = await reachKeeper(keeper, settings.connectTimeoutMs);
    return { host: socketFolder(keeper.store), port, user: "postgres", database: "postgres" };
  }

  async function currentPool(): Promise<pg.Pool> {
    if (current !== undefined) return current.pool;
    const found = await target();
    // Another caller may have been quicker.
    current ??= { port: found.port, pool: createPool(found, settings) };
    return current.pool;
  }

  function forget(pool: pg.Pool): void {
    if (current?.pool !== pool) return;
    current = undefined;
    void pool.end();
  }

  return {
    location: keeper.store,
    async acquire() {
      const deadline = performance.now() + settings.connectTimeoutMs;
      for (;;) {
        if (closed) throw new Error("Connection terminated: the database was closed");
        const pool = await currentPool();
        try {
          const lease = await leaseFrom(pool, settings);
          return {
            client: lease.client,
            release(broken) {
              lease.release(broken);
              // All connections of a pool lead to one keeper: when it is gone, so are they.
              if (broken) forget(pool);
            },
          };
        } catch (error) {
          // Nothing was asked of a keeper that ended before it let us in, so its successor may be asked.
          if (!isConnectionLoss(error) || performance.now() > deadline) throw error;
          forget(pool);
          await delay(10);
        }
      }
    },
    separate: async () => ({ ...connectionSettings(settings), ...(await target()) }),
    async close() {
      closed = true;
      await current?.pool.end();
    },
  };
}

export function keeperOptions(options: EmbeddedOptions, statementTimeoutMs: number): KeeperOptions {
  return {
    store: resolve(options.directory),
    idleMs: options.keeperIdleMs ?? 60_000,
    durable: options.durable ?? true,
    statementLimitMs: statementTimeoutMs + 5_000,
    idleInTransactionMs: statementTimeoutMs * 2,
    template: join(options.cacheDirectory ?? userCacheDirectory(), `template-${ENGINE}`),
  };
}
