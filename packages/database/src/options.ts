import { homedir } from "node:os";
import { join } from "node:path";
import { IkigaiError } from "@ikigai/core";

interface CommonOptions {
  /** Where all tables live. Default `ikigai`. Lower-case letters, digits and underscores. */
  readonly schema?: string;
  /** How long to wait for a connection, in milliseconds. Default 10,000 for a server, 60,000 for an embedded store. */
  readonly connectTimeoutMs?: number;
  /** How long one statement may take, in milliseconds. Default 30,000. */
  readonly statementTimeoutMs?: number;
  /** Connections of this process. Default 10 for a server, 4 for an embedded store. */
  readonly maxConnections?: number;
}

export interface ServerOptions extends CommonOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
}

export interface EmbeddedOptions extends CommonOptions {
  /** The store's folder. It is made when it is not there. */
  readonly directory: string;
  /** The keeper ends after this long without a client, in milliseconds. Default 60,000. */
  readonly keeperIdleMs?: number;
  /** Whether a commit is on the disk before it is acknowledged. Default true. The first to start the keeper decides. */
  readonly durable?: boolean;
  /** Where untouched data directories are kept, so that new stores need not be initialised. Default: the user's cache. */
  readonly cacheDirectory?: string;
}

export type DatabaseOptions = ServerOptions | EmbeddedOptions;

export interface CommonSettings {
  readonly schema: string;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly maxConnections: number;
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Contract: throws `invalid_input` for a name that would need quoting. */
export function commonSettings(options: DatabaseOptions): CommonSettings {
  const schema = options.schema ?? "ikigai";
  if (!SCHEMA_NAME.test(schema)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(schema)} cannot name a schema`, {
      hint: "Use 1 to 63 lower-case letters, digits and underscores.",
    });
  }
  const embedded = "directory" in options;
  return {
    schema,
    connectTimeoutMs: options.connectTimeoutMs ?? (embedded ? 60_000 : 10_000),
    statementTimeoutMs: options.statementTimeoutMs ?? 30_000,
    maxConnections: options.maxConnections ?? (embedded ? 4 : 10),
  };
}

/** The user's folder for things that can be made again. Contract: absolute; a variable that is empty counts as none. */
export function userCacheDirectory(): string {
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "ikigai");
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "ikigai");
}

/** The user's folder for stores: `$XDG_DATA_HOME/ikigai/store`, or the platform's place. */
export function defaultStoreDirectory(): string {
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "ikigai", "store");
  return join(process.env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), "ikigai", "store");
}
