import { fsyncSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { pg_textsearch } from "@electric-sql/pglite-pg_textsearch";
import { vector } from "@electric-sql/pglite-pgvector";

/** PostgreSQL inside this process, over a data directory that nobody else has open. */
export interface Engine {
  /** Runs wire messages to their end. Contract: synchronous; blocks the process meanwhile. */
  execute(messages: Uint8Array): Uint8Array;
  /** What clients are told when they connect. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Writes a checkpoint and lets go of the files. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Whether a commit is on the disk before it is acknowledged. */
  readonly durable: boolean;
  /** Called with each file descriptor that the engine had synced. Default: nobody. */
  readonly onSync?: (fd: number) => void;
}

const REPORTED = ["server_version", "client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings"];

export async function openEngine(dataDirectory: string, options: EngineOptions): Promise<Engine> {
  const pglite = await PGlite.create({
    fs: new SyncedFiles(dataDirectory, options.onSync),
    extensions: { vector, pg_textsearch },
    startParams: startParameters(options.durable),
  });
  const shown = await pglite.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name = any($1)",
    [REPORTED],
  );
  const settings = shown.rows.map(({ name, setting }) => [name, setting] as const);
  return {
    execute: (messages) => pglite.execProtocolRawSync(messages),
    parameters: { ...Object.fromEntries(settings), integer_datetimes: "on" },
    close: () => pglite.close(),
  };
}

/**
 * PGlite switches fsync off, because the file system it was compiled for has none. With the method below in place
 * PostgreSQL's own order of writes and syncs holds: the log before the commit is answered, the tables at a checkpoint.
 */
function startParameters(durable: boolean): string[] {
  const defaults = PGlite.defaultStartParams;
  if (!durable) return [...defaults];
  return [...defaults.filter((word) => word !== "-F"), "-c", "fsync=on", "-c", "wal_sync_method=fsync"];
}

interface OpenFile {
  readonly nfd?: number;
}

interface NodeFileOperations {
  fsync?: (file: OpenFile) => number;
}

/** Files of the host that can be synced. */
class SyncedFiles extends NodeFS {
  readonly #onSync: ((fd: number) => void) | undefined;

  constructor(directory: string, onSync?: (fd: number) => void) {
    super(directory);
    this.#onSync = onSync;
  }

  override async init(...args: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const prepared = await super.init(...args);
    const mountFiles = prepared.emscriptenOpts.preRun ?? [];
    return {
      ...prepared,
      emscriptenOpts: { ...prepared.emscriptenOpts, preRun: [this.#addSync, ...[mountFiles].flat()] },
    };
  }

  readonly #addSync = (module: { FS: unknown }): void => {
    const { filesystems } = module.FS as { filesystems: { NODEFS: { stream_ops: NodeFileOperations } } };
    filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => {
      if (nfd === undefined) return 0;
      fsyncSync(nfd);
      this.#onSync?.(nfd);
      return 0;
    };
  };
}
