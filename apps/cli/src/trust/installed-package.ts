import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { readSmallFile } from "@ikigai/permission";

const MAX_FILE = 67_108_864;

/** The folder of the package that a module in `folder` finds under `name`, as a real path. Looks where Node looks. */
export function findPackage(name: string, folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    const found = join(place, "node_modules", name);
    if (statSync(found, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(found);
    if (place === dirname(place)) return undefined;
  }
}

/** Whether a real path belongs to what a package manager installed, and not to the project's own code. */
export function isInstalledCode(path: string): boolean {
  return path.split(sep).includes("node_modules");
}

/** Every file of a folder, as absolute paths in order. Contract: leaves `node_modules` and `.git` out, follows no link. */
export async function filesOf(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) files.push(path);
    else if (entry.name !== "node_modules" && entry.name !== ".git") files.push(...(await filesOf(path)));
  }
  return files.toSorted();
}

/** One digest for all names and contents of a package's own files. */
export async function digestPackage(folder: string): Promise<string> {
  const digest = createHash("sha256");
  for (const path of await filesOf(folder)) digest.update(`${relative(folder, path)}\0${await contentOf(path)}\0`);
  return digest.digest("hex");
}

async function contentOf(path: string): Promise<string> {
  const link = await readlink(path).catch(() => undefined);
  if (link !== undefined) return `link ${link}`;
  const file = await readSmallFile(path, MAX_FILE).catch(() => undefined);
  return file === undefined ? "nothing" : createHash("sha256").update(file.bytes).digest("hex");
}

/** The packages that a package.json says are needed. Contract: empty for what cannot be read. */
export function neededPackages(manifest: string): readonly string[] {
  try {
    const read = JSON.parse(manifest) as Record<string, unknown>;
    return ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((kind) =>
      Object.keys(read[kind] ?? {}),
    );
  } catch {
    return [];
  }
}
