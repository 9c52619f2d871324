import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { copyTree } from "./copy-tree.ts";
import { openEngine } from "./engine.ts";
import { syncPath, syncTree } from "./sync-tree.ts";

const UNFINISHED = "data.new";

export interface CreateDataOptions {
  readonly durable: boolean;
  /** A folder with an untouched data directory to copy; made when it is not there. Default: none is used. */
  readonly template?: string;
}

/**
 * The data directory of a store, initialised when it is new.
 *
 * Contract: it appears complete or not at all, also after a crash; the caller owns the store. When it cannot be made,
 * such as on a full disk, nothing of it is left.
 */
export async function ensureData(store: string, options: CreateDataOptions): Promise<string> {
  const data = join(store, "data");
  if (await exists(data)) return data;
  const unfinished = join(store, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  try {
    await mkdir(unfinished, { mode: 0o700 });
    await fill(unfinished, options.template);
    if (options.durable) await syncTree(unfinished);
    await rename(unfinished, data);
  } catch (error) {
    // What did not become a store takes room that whoever mends the disk needs.
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  if (options.durable) await syncPath(store);
  return data;
}

async function fill(directory: string, template: string | undefined): Promise<void> {
  if (template !== undefined && (await exists(join(template, "PG_VERSION")))) {
    await copyTree(template, directory);
    return;
  }
  const engine = await openEngine(directory, { durable: false });
  await engine.close();
  if (template !== undefined) await saveTemplate(directory, template);
}

/** Two stores may be initialised at once: the first one's template stays. Without room for one there is none. */
async function saveTemplate(directory: string, template: string): Promise<void> {
  const copy = `${template}.${randomUUID()}`;
  try {
    await mkdir(dirname(template), { recursive: true, mode: 0o700 });
    await mkdir(copy, { mode: 0o700 });
    await copyTree(directory, copy);
    await rename(copy, template);
  } catch {
    await rm(copy, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
