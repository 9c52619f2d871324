import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { IkigaiError } from "@ikigai/core";
import { type ContentChange, createJsonFile, readSmallFile } from "@ikigai/permission";
import { z } from "zod";

/** What a folder held: for each path what its file looked like to the file system, and the digest of its content. */
export type FolderSnapshot = ReadonlyMap<string, readonly [looks: string, sha256: string]>;

export interface SnapshotOptions {
  /** Folders that are left out, as absolute paths. */
  readonly without?: readonly string[];
  /** A snapshot of before; a file that looks as it did then is not read again. */
  readonly known?: FolderSnapshot;
}

const MAX_FILES = 200_000;
const MAX_READ = 67_108_864;
/** A file that was changed so shortly before it was looked at may change again without looking different. */
const SETTLED_NS = 2_000_000_000n;
/** Folders of git whose content runs. Everything else of it is data, and changes all the time. */
const GIT_PARTS: ReadonlySet<string> = new Set(["config", "hooks"]);

/**
 * Every file, link and mode below a folder, `node_modules` and what is hidden or ignored included.
 *
 * Contract: of `.git` only its configuration and hooks; links are taken as they are. `over_budget` for more than 200,000
 * files.
 */
export async function takeSnapshot(root: string, options: SnapshotOptions = {}): Promise<FolderSnapshot> {
  const found = new Map<string, readonly [string, string]>();
  const walk = async (folder: string, only?: ReadonlySet<string>): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (only?.has(entry.name) === false || options.without?.includes(path) === true) continue;
      if (entry.isDirectory()) await walk(path, entry.name === ".git" ? GIT_PARTS : undefined);
      else await add(path);
    }
  };
  const add = async (path: string): Promise<void> => {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    if (stats === undefined) return;
    if (found.size >= MAX_FILES) {
      throw new IkigaiError(
        "over_budget",
        `${root} holds more than ${MAX_FILES} files, too many to see whether one changed`,
        {
          hint: "Name a script that imports nothing else in the configuration, so that what runs is known.",
        },
      );
    }
    const name = relative(root, path).split(sep).join("/");
    const before = options.known?.get(name);
    const looks = looksOf(stats);
    const same = before !== undefined && before[0] === looks;
    found.set(name, [looks, same ? before[1] : await digestOf(path, stats)]);
  };
  await walk(root);
  return found;
}

/** Paths whose content differs between two snapshots of a folder. */
export function compareSnapshots(before: FolderSnapshot, after: FolderSnapshot): ContentChange[] {
  const changes: ContentChange[] = [];
  for (const [path, [, sha256]] of after) {
    const known = before.get(path);
    if (known?.[1] !== sha256) changes.push({ path, change: known === undefined ? "added" : "changed" });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push({ path, change: "removed" });
  return changes;
}

/** The snapshots of trusted folders, each in a file of its own. */
export interface SnapshotStore {
  read(root: string): Promise<FolderSnapshot | undefined>;
  write(root: string, snapshot: FolderSnapshot): Promise<void>;
}

const snapshotFile: z.ZodType<{ readonly files: Readonly<Record<string, readonly [string, string]>> }> = z.strictObject(
  {
    files: z.record(z.string(), z.tuple([z.string(), z.string()])),
  },
);

export function openSnapshots(folder: string): SnapshotStore {
  const fileOf = (root: string): ReturnType<typeof createJsonFile<z.infer<typeof snapshotFile>>> => {
    const name = createHash("sha256").update(root).digest("hex").slice(0, 32);
    return createJsonFile(join(folder, `${name}.json`), snapshotFile, { files: {} });
  };
  return {
    async read(root) {
      const { files } = await fileOf(root).read();
      const entries = Object.entries(files);
      return entries.length === 0 ? undefined : new Map(entries);
    },
    async write(root, snapshot) {
      await fileOf(root).update(() => ({ files: Object.fromEntries(snapshot) }));
    },
  };
}

function looksOf(stats: BigIntStats): string {
  const { ino, size, mode, mtimeNs, ctimeNs } = stats;
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const isSettled = BigInt(Date.now()) * 1_000_000n - latest > SETTLED_NS;
  return isSettled ? [ino, size, mode, mtimeNs, ctimeNs].join(" ") : `fresh ${process.hrtime.bigint()}`;
}

async function digestOf(path: string, stats: BigIntStats): Promise<string> {
  const runs = (stats.mode & 0o111n) === 0n ? "" : "x ";
  if (stats.isSymbolicLink()) return `link ${await readlink(path).catch(() => "")}`;
  if (!stats.isFile()) return "other";
  const file = await readSmallFile(path, MAX_READ).catch(() => undefined);
  if (file === undefined) return `${runs}unread ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  return runs + createHash("sha256").update(file.bytes).digest("hex");
}
