import type { Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type DataBlock, type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import { z } from "zod";

const STAT_AT_ONCE = 64;

/** The files below a folder, read only: enough to index real files in tests and measurements. */
export function createDirectoryBlock(root: string): DataBlock {
  return {
    async read(path) {
      const text = await readFile(join(root, path), "utf8").catch(() => undefined);
      return text === undefined ? undefined : { text, version: `${text.length}:${text.slice(0, 64)}` };
    },
    async *list(prefix) {
      const files = await readdir(root, { recursive: true, withFileTypes: true });
      const paths = files.flatMap((file) => {
        const folder = file.parentPath.slice(root.length + 1);
        return file.isFile() ? [folder === "" ? file.name : `${folder}/${file.name}`] : [];
      });
      const wanted = paths.filter((path) => path.startsWith(prefix)).toSorted();
      for (let at = 0; at < wanted.length; at += STAT_AT_ONCE) {
        const batch = wanted.slice(at, at + STAT_AT_ONCE);
        const stats = await Promise.all(batch.map((path) => stat(join(root, path))));
        for (const [index, path] of batch.entries()) {
          const { size, mtime } = stats[index] as Stats;
          yield { path, bytes: size, modifiedAt: mtime };
        }
      }
    },
  };
}

/** A source that opens a folder. */
export function directorySource(root: string): DataBlockDefinition<Record<string, never>, never> {
  return defineDataBlock({
    name: "directory",
    capabilities: [],
    options: z.strictObject({}),
    open: async () => createDirectoryBlock(root),
  });
}
