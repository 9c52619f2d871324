import { join } from "node:path";
import { type Database, findKeeper, migrate, openDatabase, stopKeeper } from "@ikigai/database";
import { createAssetStore } from "@ikigai/source-postgres";
import { createAssetHook, createBudget, createJournal } from "@ikigai/store-postgres";
import pg from "pg";
import { seedAssets, seedMemoryFile } from "./seed.ts";
import { createFlip } from "./data.ts";
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
    for (const size of quick ? [100, 300, 1_000, 10_000] : [100, 1_000, 10_000, 30_000])
      lines.push(...(await againstMemory(size, quick)));
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

async function assets(temporary: Temporary, { name, database, url, pids }: Engine, quick: boolean): Promise<Line[]> {
  const rounds = quick ? 20 : 200;
  const budget = createBudget(database);
  const store = createAssetStore(database, {
    hooks: [createAssetHook({ mount: "ikigai", budget, journal: createJournal(database) })],
  });
  const floor = await openFloor(temporary, database, url);
  const flip = createFlip(1_000);
  const lines: Line[] = [];
  let made = 0;
  for (const size of quick ? [100, 300, 1_000, 10_000] : [100, 1_000, 10_000, 100_000]) {
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
      pids,
    });
    const ours = (guarantee: string, run: Side["run"], name = "asset store"): Side => ({ name, guarantee, run, pids });
    lines.push(
      ...(await compare(
        "store",
        `read 1 kB ${among}`,
        [bare(() => floor.read(some())), ours("own before shared", () => store.read(OWNER, some()))],
        at("read"),
      )),
      ...(await compare(
        "store",
        `write 1 kB ${among}`,
        [
          bare(() => floor.write(`new${(made += 1)}`, flip.text())),
          ours(DURABLE, () => store.write(`new/${size}-${(made += 1)}.md`, flip.text(), { ...change, expected: null })),
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
          ours(`${DURABLE}; version checked`, async () => {
            const path = some();
            const asset = await store.read(OWNER, path);
            if (asset === undefined) throw new Error(`${path} is not there`);
            await store.write(path, `${asset.text}.`, { ...change, expected: asset.version });
          }),
        ],
        at("edit"),
      )),
      ...(await compare(
        "store",
        `budget check ${among}`,
        [ours("counter locked", () => checkBudget(database, budget), "budget")],
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
      : (await pool.query<{ content: string }>({ text, values: [...values], ...(values.length > 0 && { name: text }) }))
          .rows;
  await query("create table bench_floor (path text primary key, content text not null)");
  return {
    name: pool === undefined ? "one statement through the keeper" : "pg by itself",
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
}
