import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Database, migrate, openDatabase, stopKeeper } from "@ikigai/database";
import { recallMigrations } from "@ikigai/recall";
import { assetMigrations } from "@ikigai/source-postgres";
import { storeMigrations } from "@ikigai/store-postgres";

const IKIGAI = fileURLToPath(new URL("../../apps/cli/bin/ikigai.js", import.meta.url));

/** Where worlds are made, and the store that they share. */
export interface Stage {
  readonly folder: string;
  readonly store: string;
  readonly database: Database;
  /** Whether a tracer tells which programs are started. */
  readonly isTraced: boolean;
  close(): Promise<void>;
}

/** Contract: whoever opens closes. In memory where there is such a file system: durability is proven elsewhere. */
export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "ikigai-fuzz-"));
  // Deep enough that a world can be made around it, with the store inside its workspace.
  const store = join(folder, "around", "work", "state");
  mkdirSync(store, { recursive: true });
  const directory = join(store, "postgres");
  const database = await openDatabase({ directory, durable: false });
  // Starts the keeper too, which the worlds then find.
  await migrate(database, [assetMigrations, storeMigrations, { name: "recall", migrations: recallMigrations }]);
  return {
    folder,
    store,
    database,
    isTraced: canTrace(),
    async close() {
      await database.close();
      await stopKeeper(directory);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Several stages, for worlds that run at the same time. Contract: whoever opens closes. */
export async function openStages(count: number): Promise<{
  readonly all: readonly [Stage, ...Stage[]];
  close(): Promise<void>;
}> {
  const first = await openStage();
  const others: Stage[] = [];
  while (others.length + 1 < count) others.push(await openStage());
  return {
    all: [first, ...others],
    async close() {
      for (const stage of [first, ...others]) await stage.close();
    },
  };
}

/** Takes out what earlier worlds left, so that a world is given by its seed alone. */
export async function emptyStore({ store, database }: Stage): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('migration', 'transaction_key')",
  );
  if (rows.length > 0) await database.query(`truncate ${rows.map(({ name }) => `"${name}"`).join(", ")}`);
  for (const name of readdirSync(store))
    if (name !== "postgres") rmSync(join(store, name), { recursive: true, force: true });
}

/** The program and its arguments; with a log, what it starts is written there. */
export function ikigaiCommand(args: readonly string[], log?: string): { command: string; args: string[] } {
  if (log === undefined) return { command: process.execPath, args: [IKIGAI, ...args] };
  // The tracer is a grandchild, so that the program itself is ours to end.
  const tracer = ["-D", "-f", "--seccomp-bpf", "-qq", "-ttt", "-s", "2000", "-e", "trace=execve", "-o", log];
  return { command: "strace", args: [...tracer, process.execPath, IKIGAI, ...args] };
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line once. */
export function runIkigai(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  log?: string,
): Promise<Ended> {
  const program = ikigaiCommand(args, log);
  return new Promise((resolve) => {
    const child = execFile(
      program.command,
      program.args,
      { cwd, env, maxBuffer: 1 << 28, timeout: 60_000 },
      (error, out, err) =>
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err }),
    );
    child.stdin?.end();
  });
}

function canTrace(): boolean {
  return (
    process.platform === "linux" &&
    spawnSync("strace", ["-f", "--seccomp-bpf", "-e", "trace=execve", "-o", "/dev/null", "true"]).status === 0
  );
}
