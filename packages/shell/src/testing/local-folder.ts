import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { type DataBlockDefinition, defineDataBlock } from "@ikigai/core";
import * as z from "zod";

/** A source that says only where its texts lie. */
export function localFolder(root: string): DataBlockDefinition<unknown, never> {
  return defineDataBlock({
    name: "local-folder",
    capabilities: [],
    options: z.unknown(),
    open: async () => ({
      read: async () => undefined,
      async *list() {},
      localRoot: () => root,
    }),
  });
}

/** A source that says where its texts lie, reads and lists them, and follows links. */
export function readableFolder(root: string): DataBlockDefinition<unknown, never> {
  return defineDataBlock({
    name: "readable-folder",
    capabilities: [],
    options: z.unknown(),
    open: async () => ({
      read: async (path) => ({ text: readFileSync(join(root, path), "utf8"), version: "1" }),
      async *list(prefix) {
        const folder = prefix.slice(0, Math.max(0, prefix.lastIndexOf("/")));
        if (!existsSync(join(root, folder))) return;
        for (const name of readdirSync(join(root, folder)).toSorted()) {
          const path = folder === "" ? name : `${folder}/${name}`;
          if (path.startsWith(prefix) && statSync(join(root, path)).isFile()) yield { path, modifiedAt: new Date(0) };
        }
      },
      follow(path) {
        const local = existsSync(join(root, path)) ? realpathSync(join(root, path)) : join(root, path);
        const stored = local.slice(root.length + 1);
        return { path: stored, stored, local };
      },
      localRoot: () => root,
    }),
  });
}
