// Packs packages as they would be published, and installs them into an empty folder outside the workspace.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));

/** Folder by name of every package that can be published. */
export const PACKAGES = new Map(
  ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((folder) => join(root, group, folder))
      .filter((folder) => existsSync(join(folder, "package.json")))
      .map((folder) => [manifestOf(folder).name, folder]),
  ),
);

/** The manifest in a folder. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** A package of ours and the packages of ours that it needs, core included. */
export function closureOf(name, found = new Set(["@ikigai/core"])) {
  found.add(name);
  const { dependencies = {}, peerDependencies = {} } = manifestOf(PACKAGES.get(name));
  for (const need of Object.keys({ ...dependencies, ...peerDependencies })) {
    if (PACKAGES.has(need) && !found.has(need)) closureOf(need, found);
  }
  return [...found];
}

/** Packs a package into `folder`; gives the tarball's path. */
export async function pack(name, folder) {
  const cwd = PACKAGES.get(name);
  const pnpm = join(root, "node_modules", ".bin", "pnpm");
  await run(pnpm, ["pack", "--pack-destination", folder], {
    cwd,
    env: { ...process.env, npm_config_loglevel: "error" },
  });
  return join(folder, `${name.replace("@", "").replace("/", "-")}-${manifestOf(cwd).version}.tgz`);
}

/** Installs tarballs, and nothing else by name, into an empty folder. */
export async function install(folder, tarballs) {
  await writeFile(join(folder, "package.json"), '{ "name": "alone", "private": true, "type": "module" }\n');
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"];
  await run("npm", ["install", ...quiet, ...tarballs], { cwd: folder, maxBuffer: 1 << 26 });
}

/** The packages in a folder's node_modules. */
export function installed(folder) {
  const modules = join(folder, "node_modules");
  return readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
    );
}
