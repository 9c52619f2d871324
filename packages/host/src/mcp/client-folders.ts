import { realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientRoot } from "@ikigai/mcp";
import { whyNoWorkspace } from "./why-no-workspace.ts";
import { OWN_MOUNTS } from "../policy/own-mounts.ts";

/** Where a client works: its first folder, and the others under names for mounts. */
export interface ClientFolders {
  readonly root: string;
  readonly others: readonly { readonly name: string; readonly path: string }[];
}

const MAX_OTHERS = 20;

/** Contract: `undefined` when no root is a folder on this machine; what is no folder, or no workspace, is left out. */
export async function clientFolders(roots: readonly ClientRoot[]): Promise<ClientFolders | undefined> {
  const found = await Promise.all(roots.slice(0, MAX_OTHERS + 1).map(folderOf));
  const [root, ...further] = [...new Set(found.filter((path) => path !== undefined))];
  if (root === undefined) return undefined;
  const others = further.filter((path) => whyNoWorkspace(path) === undefined);
  const names = new Set<string>();
  return {
    root,
    others: others.map((path, index) => {
      const plain = basename(path)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^[^a-z]+|-+$/g, "")
        .slice(0, 24);
      const name = plain === "" || names.has(plain) || OWN_MOUNTS.has(plain) ? `root-${index + 2}` : plain;
      names.add(name);
      return { name, path };
    }),
  };
}

async function folderOf({ uri }: ClientRoot): Promise<string | undefined> {
  try {
    const path = await realpath(fileURLToPath(uri));
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch {
    return undefined;
  }
}
