import { findKeeper } from "./client/keeper-client.ts";
import type { Sql } from "./database.ts";

export interface DatabaseStatus {
  readonly engine: "embedded" | "server";
  /** A folder, or a server and its database. Never a password. */
  readonly location: string;
  readonly schema: string;
  readonly version: string;
  readonly bytes: number;
  /** Whether an acknowledged commit survives a power cut, as far as the engine can know. */
  readonly durable: boolean;
  /** The same in words. */
  readonly durability: string;
  /** The process that has the folder. Absent for a server. */
  readonly holder?: { readonly pid: number; readonly since: string };
}

interface Facts {
  readonly version: string;
  readonly bytes: string;
  readonly fsync: string;
  readonly commit: string;
}

const FACTS = `select current_setting('server_version') as version,
  pg_database_size(current_database()) as bytes,
  current_setting('fsync') as fsync,
  current_setting('synchronous_commit') as commit`;

export async function readStatus(
  sql: Sql,
  location: string,
  embedded: boolean,
  schema: string,
): Promise<DatabaseStatus> {
  const { rows } = await sql.query<Facts>(FACTS);
  const { version, bytes, fsync, commit } = rows[0] as Facts;
  const holder = embedded ? await findKeeper(location) : undefined;
  const durable = fsync === "on" && commit !== "off";
  return {
    engine: embedded ? "embedded" : "server",
    location,
    schema,
    version,
    bytes: Number(bytes),
    durable,
    durability: durable
      ? "A commit is synced to the disk before it is acknowledged."
      : `A power cut can lose the last commits (fsync ${fsync}, synchronous_commit ${commit}); a crash of a process cannot.`,
    ...(holder !== undefined && { holder: { pid: holder.pid, since: holder.since } }),
  };
}
