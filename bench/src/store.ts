<<<<<<< HEAD
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
=======
import { join } from "node:path";
import { type Database, findKeeper, migrate, openDatabase, stopKeeper } from "@ikigai/database";
import { createAssetStore } from "@ikigai/source-postgres";
import { createAssetHook, createBudget, createJournal } from "@ikigai/store-postgres";
import pg from "pg";
import { seedAssets, seedMemoryFile } from "./seed.ts";
import { createFlip } from "./files.ts";
import { type Engine, MIGRATIONS, openEngines } from "./engines.ts";
import { compare, type Line, type Side } from "./line.ts";
import { startMemory, startOurs } from "./mcp-client.ts";
import { type Temporary, withTemporary } from "./temporary.ts";

const OWNER = "default";
const DURABLE = "durable, one transaction with budget, journal and history";

/** The store: starting it, assets as their number grows, and the reference server for memories. */
export async function benchStore(quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const lines = await starts(temporary, quick ? 2 : 10);
    for (const engine of await openEngines(temporary)) lines.push(...(await assets(temporary, engine, quick)));
    for (const size of [100, 1_000, 10_000]) lines.push(...(await againstMemory(size, quick)));
    return lines;
  });
}

async function starts(temporary: Temporary, rounds: number): Promise<Line[]> {
  let directory = await temporary.store();
  const use = async (): Promise<void> => {
    const database = openDatabase({ directory });
    await migrate(database, MIGRATIONS);
    await database.query("select count(*) from asset");
    await database.close();
  };
  const guarantee = "one keeper per store, tables up to date";
  const one = (name: string, before: Side["before"]): Side => ({
    name,
    guarantee,
    run: use,
    pids: async () => [(await findKeeper(directory))?.pid].filter((pid) => pid !== undefined),
    ...(before !== undefined && { before }),
  });
  const lines: Line[] = [];
  const fresh = one("new store", async () => {
    await stopKeeper(directory);
    directory = await temporary.store();
  });
  lines.push(...(await compare("store", "cold start of a new store", [fresh], { rounds, warmUp: 1 })));
  const again = one("existing store", () => stopKeeper(directory));
  lines.push(...(await compare("store", "reopening a store", [again], { rounds })));
  const running = one("running keeper", undefined);
  lines.push(...(await compare("store", "connecting to a running keeper", [running], { rounds: rounds * 3 })));
  await stopKeeper(directory);
  return lines;
}

async function assets(temporary: Temporary, { name, database, url }: Engine, quick: boolean): Promise<Line[]> {
  const rounds = quick ? 20 : 200;
  const budget = createBudget(database);
  const store = createAssetStore(database, {
    hooks: [createAssetHook({ mount: "ikigai", budget, journal: createJournal(database) })],
  });
  const floor = await openFloor(temporary, database, url);
  const flip = createFlip(1_000);
  const lines: Line[] = [];
  let made = 0;
  for (const size of quick ? [100, 10_000] : [100, 1_000, 10_000, 100_000]) {
    await seedAssets(database, OWNER, size);
    await floor.seed(size);
    const some = (): string => `seeded/asset${Math.floor(Math.random() * size)}.md`;
    const among = `among ${size.toLocaleString("en")} assets, ${name}`;
    const at = (work: string): { rounds: number; growth: { curve: string; size: number } } => ({
      rounds,
      growth: { curve: `${work} an asset, ${name}`, size },
    });
    const change = { agent: OWNER };
    const bare = (run: Side["run"], guarantee = "durable, one statement"): Side => ({
      name: floor.name,
      role: "floor",
      guarantee,
      run,
    });
    lines.push(
      ...(await compare(
        "store",
        `read 1 kB ${among}`,
        [
          bare(() => floor.read(some())),
          { name: "asset store", guarantee: "own before shared", run: () => store.read(OWNER, some()) },
        ],
        at("read"),
      )),
      ...(await compare(
        "store",
        `write 1 kB ${among}`,
        [
          bare(() => floor.write(`new${made}`, flip.text())),
          {
            name: "asset store",
            guarantee: DURABLE,
            run: () => store.write(`new/${size}-${(made += 1)}.md`, flip.text(), { ...change, expected: null }),
          },
        ],
        at("write"),
      )),
      ...(await compare(
        "store",
        `edit 1 kB ${among}`,
        [
          bare(async () => {
            const path = some();
            await floor.write(path, (await floor.read(path)).replace("w1x", "w2x"));
          }, "durable; others' edits are lost"),
          {
            name: "asset store",
            guarantee: `${DURABLE}; version checked`,
            async run() {
              const path = some();
              const asset = await store.read(OWNER, path);
              if (asset === undefined) throw new Error(`${path} is not there`);
              const text = `${asset.text}.`;
              await store.write(path, text, { ...change, expected: asset.version });
            },
          },
        ],
        at("edit"),
      )),
      ...(await compare(
        "store",
        `budget check ${among}`,
        [{ name: "budget", guarantee: "counter locked", run: () => checkBudget(database, budget) }],
        at("budget check of"),
      )),
    );
  }
  return lines;
}

function checkBudget(database: Database, budget: ReturnType<typeof createBudget>): Promise<void> {
  return database.transaction((tx) =>
    budget.resize(tx, { agent: OWNER, uri: "ikigai:///seeded/asset1.md", owner: OWNER, tokens: 250, version: "1" }),
  );
}

interface Floor {
  readonly name: string;
  seed(size: number): Promise<unknown>;
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<unknown>;
}

/** The least that a table costs: `pg` by itself on a server, single statements through the keeper otherwise. */
async function openFloor(temporary: Temporary, database: Database, url: string | undefined): Promise<Floor> {
  const pool = url === undefined ? undefined : new pg.Pool({ connectionString: url, max: 1 });
  pool?.on("error", () => {});
  if (pool !== undefined) temporary.defer(() => pool.end());
  const query = async (text: string, values: readonly unknown[] = []): Promise<readonly { content: string }[]> =>
    pool === undefined
      ? (await database.query<{ content: string }>(text, values)).rows
      : (await pool.query<{ content: string }>(text, [...values])).rows;
  await query("create table bench_floor (path text primary key, content text not null)");
  return {
    name: pool === undefined ? "one statement" : "pg by itself",
    seed: (size) =>
      query(
        `insert into bench_floor select 'seeded/asset' || n || '.md', repeat('w1x ', 250)
         from generate_series(0, $1::int - 1) n on conflict do nothing`,
        [size],
      ),
    read: async (path) => (await query("select content from bench_floor where path = $1", [path]))[0]?.content ?? "",
    write: (path, text) =>
      query("insert into bench_floor values ($1, $2) on conflict (path) do update set content = $2", [path, text]),
  };
}

async function againstMemory(size: number, quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const store = await temporary.store("postgres");
    const database = openDatabase({ directory: join(store, "postgres") });
    await migrate(database, MIGRATIONS);
    await seedAssets(database, OWNER, size);
    await database.close();
    const file = join(await temporary.folder(), "memory.jsonl");
    await seedMemoryFile(file, size);
    const ours = await startOurs(await temporary.folder(), store, "--tools", "files");
    temporary.defer(() => ours.close());
    const theirs = await startMemory(file);
    temporary.defer(() => theirs.close());
    let made = 0;
    return compare(
      "store",
      `write one over stdio, at ${size.toLocaleString("en")} entries`,
      [
        {
          name: "server-memory",
          role: "peer",
          guarantee: "atomic rename; not synced, concurrent writes are lost",
          pids: () => theirs.pids(),
          run: () =>
            theirs.call("create_entities", {
              entities: [{ name: `new${(made += 1)}`, entityType: "asset", observations: ["one fact about it"] }],
            }),
        },
        {
          name: "ikigai mcp",
          guarantee: `${DURABLE}, audited`,
          pids: () => ours.pids(),
          run: () =>
            ours.call("file_write", { path: `ikigai:///new/n${(made += 1)}.md`, content: "one fact about it" }),
        },
      ],
      { rounds: quick ? 5 : 50, growth: { curve: "write over stdio", size } },
    );
  });
>>>>>>> bench
}
