import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { readdir, readlink, realpath } from "node:fs/promises";
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

/** What a package's own files hold. */
export interface PackageDigest {
  /** Digest over all names and contents of the package. */
  readonly sha256: string;
  /** The digest of each file that can be read, by its real path. */
  readonly files: ReadonlyMap<string, string>;
}

export async function digestPackage(folder: string): Promise<PackageDigest> {
  const digest = createHash("sha256");
  const files = new Map<string, string>();
  for (const path of await filesOf(folder)) {
    const link = await readlink(path).catch(() => undefined);
    const real = link === undefined ? path : await realpath(path).catch(() => path);
    const file = await readSmallFile(real, MAX_FILE).catch(() => undefined);
    const sha256 = file === undefined ? undefined : createHash("sha256").update(file.bytes).digest("hex");
    if (sha256 !== undefined) files.set(real, sha256);
    const content = [...(link === undefined ? [] : [`link ${link}`]), sha256 ?? "nothing"].join(" ");
    digest.update(`${relative(folder, path)}\0${content}\0`);
  }
  return { sha256: digest.digest("hex"), files };
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
