import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, type DatabaseOptions, migrate, openDatabase, stopKeeper } from "@ikigai/database";
import { startTestServer } from "@ikigai/database/testing";
import { assetMigrations, type AssetStore, createAssetStore } from "@ikigai/source-postgres";
import { createAssetHook, createBudget, createJournal, storeMigrations } from "@ikigai/store-postgres";
import { compare, type Line, type Side } from "./line.ts";
import { openServerMemory } from "./server-memory.ts";

const AGENT = "ana";
const TEXT = "A decision, its reasons and what was left out. ".repeat(40);
const DURABLE = "durable, journalled, budget checked";

/** What opening a store costs, and what its assets cost as they grow, on both engines and beside server-memory. */
export async function benchStore(quick: boolean): Promise<Line[]> {
  const folder = await mkdtemp(join(tmpdir(), "ikigai-bench-"));
  const server = await startTestServer();
  try {
    const lines = await benchOpening(folder, quick);
    const sizes = quick ? [100, 1_000] : [100, 10_000, 100_000];
    const engines: [string, DatabaseOptions][] = [
      ["embedded", { directory: join(folder, "store") }],
      ["server", { url: server.url }],
    ];
    const memories = await Promise.all(engines.map(async ([name, options]) => openMemory(name, options)));
    for (const size of sizes) lines.push(...(await benchAssets(memories, size, quick ? 20 : 100)));
    for (const size of quick ? [100, 1_000] : [100, 1_000, 10_000]) {
      lines.push(...(await benchAgainstServerMemory(memories, folder, size, quick ? 10 : 40)));
    }
    await Promise.all(memories.map(({ database }) => database.close()));
    return lines;
  } finally {
    await stopKeeper(join(folder, "store"));
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    // server-memory listens to it from the moment it is imported.
    process.stdin.unref();
  }
}

interface Memory {
  readonly name: string;
  readonly database: Database;
  readonly store: AssetStore;
}

async function openMemory(name: string, options: DatabaseOptions): Promise<Memory> {
  const database = openDatabase(options);
  await migrate(database, [assetMigrations, storeMigrations]);
  const hooks = [
    createAssetHook({ mount: "ikigai", budget: createBudget(database), journal: createJournal(database) }),
  ];
  return { name, database, store: createAssetStore(database, { hooks }) };
}

async function benchOpening(folder: string, quick: boolean): Promise<Line[]> {
  const cacheDirectory = join(folder, "cache");
  let count = 0;
  const open = async (directory: string, cache: string): Promise<void> => {
    const database = openDatabase({ directory, cacheDirectory: cache });
    await database.query("select 1");
    await database.close();
  };
  const once = async (name: string, prepare: () => Promise<void>, run: () => Promise<void>): Promise<Line[]> => {
    const times: number[] = [];
    for (let round = 0; round < (quick ? 2 : 5); round += 1) {
      await prepare();
      const started = performance.now();
      await run();
      times.push((performance.now() - started) * 1_000);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const [p50 = 0, p99 = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return [{ bench: "store", work: "open", side: name, p50, p99, rounds: times.length }];
  };
  const store = join(folder, "opened");
  const fresh = (): string => join(folder, `new-${(count += 1)}`);
  const lines = [
    ...(await once(
      "new store, first of all",
      async () => {},
      () => open(fresh(), join(folder, `cache-${count}`)),
    )),
    ...(await once(
      "new store",
      () => open(fresh(), cacheDirectory),
      () => open(fresh(), cacheDirectory),
    )),
    ...(await once(
      "reopen",
      () => open(store, cacheDirectory).then(() => stopKeeper(store)),
      () => open(store, cacheDirectory),
    )),
    ...(await once(
      "connect to a keeper",
      async () => {},
      () => open(store, cacheDirectory),
    )),
  ];
  for (let index = 1; index <= count; index += 1) await stopKeeper(join(folder, `new-${index}`));
  await stopKeeper(store);
  return lines;
}

/** Fills up to `size` assets without their history: the bench is about what comes next. */
async function fill(database: Database, size: number): Promise<void> {
  await database.query(
    `insert into asset (owner, path, content, version, tokens, bytes, category, created_at, updated_at)
     select $1, 'fill/' || n || '.md', $2, 0, 500, length($2), 'block', now(), now() from generate_series(1, $3) n
     on conflict do nothing`,
    [AGENT, TEXT, size],
  );
  await database.query("analyze asset");
}

async function benchAssets(memories: readonly Memory[], size: number, rounds: number): Promise<Line[]> {
  for (const { database } of memories) await fill(database, size);
  let count = 0;
  const sides = (run: (store: AssetStore) => Promise<unknown>, guarantee?: string): Side[] =>
    memories.map(({ name, store }) => ({
      name,
      run: () => run(store),
      ...(guarantee !== undefined && { guarantee }),
    }));
  const anyPath = (): string => `fill/${1 + ((count += 7_919) % size)}.md`;
  const edit = async (store: AssetStore): Promise<void> => {
    const path = anyPath();
    const asset = await store.read(AGENT, path);
    const text = (asset?.text ?? "").replace("decision", "choice");
    await store.write(path, text, { agent: AGENT, expected: asset?.version ?? null });
  };
  const of = `of ${size} assets`;
  return [
    ...(await compare(
      "store",
      `read ${of}`,
      sides((store) => store.read(AGENT, anyPath())),
      rounds,
    )),
    ...(await compare(
      "store",
      `write ${of}`,
      sides((store) => store.write(`new/${(count += 1)}.md`, TEXT, { agent: AGENT }), DURABLE),
      rounds,
    )),
    ...(await compare("store", `edit ${of}`, sides(edit, DURABLE), rounds)),
  ];
}

async function benchAgainstServerMemory(
  memories: readonly Memory[],
  folder: string,
  size: number,
  rounds: number,
): Promise<Line[]> {
  const graph = await openServerMemory(join(folder, `memory-${size}.jsonl`));
  await graph.createEntities(Array.from({ length: size }, (_, index) => entity(`fill ${index}`)));
  let count = 0;
  const ours = memories.map(({ name, store }): Side => ({
    name,
    guarantee: DURABLE,
    run: () => store.write(`entries-${size}/${(count += 1)}.md`, TEXT, { agent: AGENT }),
  }));
  const theirs: Side = {
    name: "server-memory",
    guarantee: "not synced, not safe between processes",
    run: () => graph.createEntities([entity(`new ${(count += 1)}`)]),
  };
  return compare("store", `write beside ${size} entries`, [theirs, ...ours], rounds);
}

function entity(name: string): { name: string; entityType: string; observations: string[] } {
  return { name, entityType: "decision", observations: [TEXT] };
}
