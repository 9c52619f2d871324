import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { migrate, openDatabase, stopKeeper } from "./packages/database/dist/index.js";
import { recallMigrations } from "./packages/recall/dist/index.js";
import { assetMigrations } from "./packages/source-postgres/dist/index.js";
import { storeMigrations } from "./packages/store-postgres/dist/index.js";

const SETS = [assetMigrations, storeMigrations, { name: "recall", migrations: recallMigrations }];

/**
 * Makes the tables of a store once, and lets every new store of a test begin with a copy of them, as a new store begins with
 * a copy of an empty one. The copy is kept for the next run with the same tables.
 */
export async function setup(): Promise<void> {
  const tables = createHash("sha256").update(JSON.stringify(SETS)).digest("hex").slice(0, 16);
  const stores = join(tmpdir(), `ikigai-test-stores-${userInfo().uid}`);
  const cache = join(stores, `tables-${tables}`);
  if (!(await exists(cache))) await prepare(stores, cache);
  process.env["XDG_CACHE_HOME"] = cache;
}

/** Contract: the folder appears complete or not at all; of two that are made at once one stays. */
async function prepare(stores: string, cache: string): Promise<void> {
  await mkdir(stores, { recursive: true, mode: 0o700 });
  const base = await mkdtemp(join(stores, "tables-new-"));
  try {
    const cacheDirectory = join(base, "cache", "ikigai");
    const directory = join(base, "store");
    const database = openDatabase({ directory, cacheDirectory, durable: false });
    await migrate(database, SETS);
    await database.close();
    await stopKeeper(directory);
    const template = (await readdir(cacheDirectory)).find((name) => name.startsWith("template-"));
    if (template === undefined) throw new Error(`No empty store was kept in ${cacheDirectory}`);
    await rm(join(cacheDirectory, template), { recursive: true });
    await rename(join(directory, "data"), join(cacheDirectory, template));
    await rename(join(base, "cache"), cache).catch(async (error: unknown) => {
      if (!(await exists(cache))) throw error;
    });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
