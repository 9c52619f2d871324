import { join, resolve } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type pg from "pg";
import { isConnectionLoss } from "../errors.ts";
import type { KeeperOptions } from "../keeper/keeper.ts";
import { socketFolder } from "../keeper/socket.ts";
import type { Holder } from "../keeper/store-lock.ts";
import { commonSettings, type EmbeddedOptions, userCacheDirectory } from "../options.ts";
import type { Connections } from "./connections.ts";
import { reachKeeper } from "./keeper-client.ts";
import { connectionSettings, createPool, leaseFrom } from "./pool.ts";
import { keeperStopped, watchStopped, whileRunning } from "./stopped-keeper.ts";

const ENGINE = "pglite-0.5.14";

/** Connections to the keeper of an embedded store, which is started and replaced as needed. */
export function embeddedConnections(options: EmbeddedOptions): Connections {
  const settings = commonSettings(options);
  const keeper = keeperOptions(options, settings.statementTimeoutMs);
  let current: { readonly holder: Holder; readonly pool: pg.Pool } | undefined;
  let closed = false;

  function targetOf({ port }: Holder): pg.PoolConfig & { port: number } {
    return { host: socketFolder(keeper.store), port, user: "postgres", database: "postgres" };
  }

  async function currentPool(): Promise<NonNullable<typeof current>> {
    if (current !== undefined) return current;
    const holder = await reachKeeper(keeper, settings.connectTimeoutMs);
    // Another caller may have been quicker.
    current ??= { holder, pool: createPool(targetOf(holder), settings) };
    return current;
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
        const { pool, holder } = await currentPool();
        try {
          const lease = await whileRunning(
            keeper.store,
            holder,
            () => leaseFrom(pool, settings),
            (late) => late.release(true),
          );
          const endWatch = watchStopped(holder, () => breakOff(lease.client, keeperStopped(keeper.store, holder)));
          return {
            client: lease.client,
            release(broken) {
              endWatch();
              lease.release(broken);
              // All connections of a pool lead to one keeper: when it is gone, so are they.
              if (broken) forget(pool);
            },
          };
        } catch (error) {
          if (IkigaiError.is(error, "unavailable")) forget(pool);
          // Nothing was asked of a keeper that ended before it let us in, so its successor may be asked.
          if (!isConnectionLoss(error) || performance.now() > deadline) throw error;
          forget(pool);
          await delay(10);
        }
      }
    },
    separate: async () => ({
      ...connectionSettings(settings),
      ...targetOf(await reachKeeper(keeper, settings.connectTimeoutMs)),
    }),
    async close() {
      closed = true;
      await current?.pool.end();
    },
  };
}

/** Ends a connection whose keeper does not answer: whoever waits for a statement hears why. */
function breakOff(client: pg.ClientBase, { message, hint }: IkigaiError): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: Duplex } };
  const reason = new Error(`${message}. ${hint ?? ""}`);
  connection.stream.destroy(Object.assign(reason, { code: "ECONNRESET" }));
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
