import { setTimeout as delay } from "node:timers/promises";
import { IkigaiError } from "@ikigai/core";
import type pg from "pg";
import { sqlState } from "../errors.ts";
import { type CommonSettings, commonSettings, type ServerOptions } from "../options.ts";
import type { Connections, Lease } from "./connections.ts";
import { connectionSettings, createPool, leaseFrom } from "./pool.ts";

const STARTING_UP = "57P03";
const OLDEST_VERSION = 15;

/** Connections to a PostgreSQL server. */
export function serverConnections(options: ServerOptions): Connections {
  const settings = commonSettings(options);
  const { target, location } = readUrl(options.url);
  const limits = {
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: settings.statementTimeoutMs * 2,
  };
  const pool = createPool({ ...target, ...limits }, settings);
  let checked = false;
  return {
    location,
    async acquire() {
      const lease = await whenStarted(() => leaseFrom(pool, settings), settings);
      if (checked) return lease;
      try {
        await assertVersion(lease.client, location);
        checked = true;
        return lease;
      } catch (error) {
        lease.release(true);
        throw error;
      }
    },
    separate: async () => ({ ...connectionSettings(settings), ...target }),
    close: () => pool.end(),
  };
}

/** A server that is starting up says so: worth waiting for. One that is not there is not. */
async function whenStarted(connect: () => Promise<Lease>, settings: CommonSettings): Promise<Lease> {
  const deadline = performance.now() + settings.connectTimeoutMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (sqlState(error) !== STARTING_UP || performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}

async function assertVersion(client: pg.ClientBase, location: string): Promise<void> {
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
  const version = rows[0]?.version ?? "";
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return;
  throw new IkigaiError("unsupported", `${location} runs PostgreSQL ${version}`, {
    hint: `Use PostgreSQL ${OLDEST_VERSION} or later.`,
  });
}

/** Contract: no message contains the password, not even for a URL that cannot be read. */
function readUrl(text: string): { target: pg.PoolConfig; location: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new IkigaiError("invalid_input", "The address of the database is not a postgres:// URL", {
      hint: "Write postgres://user:password@host:5432/database.",
    });
  }
  const database = url.pathname.slice(1) || "postgres";
  return { target: { connectionString: text }, location: `${url.host}/${decodeURIComponent(database)}` };
}
