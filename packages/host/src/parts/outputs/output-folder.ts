import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Bytes that one agent keeps in one workspace, and all agents in all workspaces. */
const MAX_OWN_BYTES = 256 * 1024 * 1024;
const MAX_ALL_BYTES = 1024 * 1024 * 1024;
/** Files that there are in all. */
const MAX_FILES = 10_000;
const MAX_AGE_MS = 14 * 86_400_000;
/** Bytes that one process adds before it looks again whether something has to go. */
const LOOK_AFTER_BYTES = 8 * 1024 * 1024;

export interface OutputBounds {
  readonly ownBytes?: number;
  readonly allBytes?: number;
  readonly files?: number;
  readonly ageMs?: number;
  readonly lookAfterBytes?: number;
}

/** The files of one owner, among those of all. */
export interface OutputFolder {
  /** Contract: the file appears whole; one that is there counts as used now and is not written again. */
  add(name: string, bytes: Uint8Array): Promise<void>;
  /** Lets go of what is too old, then of the oldest beyond the bounds. Contract: never rejects. */
  prune(): Promise<void>;
}

interface KeptFile {
  readonly path: string;
  readonly own: boolean;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Contract: `folder` lies directly in `root`, which has nothing but kept outputs. */
export function createOutputFolder(root: string, folder: string, bounds: OutputBounds = {}): OutputFolder {
  const { ownBytes = MAX_OWN_BYTES, allBytes = MAX_ALL_BYTES, files: maxFiles = MAX_FILES } = bounds;
  const { ageMs = MAX_AGE_MS, lookAfterBytes = LOOK_AFTER_BYTES } = bounds;
  let added = Number.POSITIVE_INFINITY;

  /** Removes old outputs. The one that was just added stays, whatever the clocks say. */
  async function prune(latest?: string): Promise<void> {
    added = 0;
    const kept = (await filesBelow(root, folder)).toSorted((a, b) => a.mtimeMs - b.mtimeMs);
    const old = Date.now() - ageMs;
    let own = sum(kept.filter((file) => file.own));
    let all = sum(kept);
    let count = kept.length;
    for (const { path, size, mtimeMs, own: isOwn } of kept) {
      const tooMuch = all > allBytes || count > maxFiles || (isOwn && own > ownBytes);
      if (path === latest || (mtimeMs >= old && !tooMuch)) continue;
      await rm(path, { force: true }).catch(() => {});
      all -= size;
      count -= 1;
      if (isOwn) own -= size;
    }
  }

  return {
    prune: () => prune(),
    async add(name, bytes) {
      const path = join(folder, name);
      const now = new Date();
      const known = await utimes(path, now, now).then(
        () => true,
        () => false,
      );
      if (known) return;
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        await writeFile(temporary, bytes, { mode: 0o600, flag: "wx" });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      added += bytes.length;
      if (added > lookAfterBytes) await prune(path);
    },
  };
}

function sum(files: readonly KeptFile[]): number {
  return files.reduce((total, { size }) => total + size, 0);
}

async function filesBelow(root: string, own: string): Promise<KeptFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = await Promise.all(
    entries.map(async (entry) => {
      if (!entry.isFile()) return undefined;
      const path = join(entry.parentPath, entry.name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) return undefined;
      return { path, own: path.startsWith(`${own}/`), size: found.size, mtimeMs: found.mtimeMs };
    }),
  );
  return files.filter((file) => file !== undefined);
}
