// Packs packages as they would be published, and installs them into an empty folder outside the workspace.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { removeLeftovers } from "./leftover-outputs.mjs";

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

/** A package of ours and the packages of ours that it needs, core included; with `optional`, also those it can do without. */
export function closureOf(name, { optional = false } = {}, found = new Set(["@ikigai/core"])) {
  found.add(name);
  const manifest = manifestOf(PACKAGES.get(name));
  const needs = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...(optional && manifest.optionalDependencies),
  };
  for (const need of Object.keys(needs)) {
    if (PACKAGES.has(need) && !found.has(need)) closureOf(need, { optional }, found);
  }
  return [...found];
}

/** Packs every package into `folder`; gives the tarballs by name. */
export async function packAll(folder) {
  for (const from of PACKAGES.values()) removeLeftovers(from);
  const pnpm = join(root, "node_modules", ".bin", "pnpm");
  const filters = ["--filter", "./packages/*", "--filter", "./apps/*"];
  await run(pnpm, ["--recursive", ...filters, "pack", "--pack-destination", folder], {
    cwd: root,
    env: { ...process.env, npm_config_loglevel: "error" },
    maxBuffer: 1 << 26,
  });
  return new Map(
    [...PACKAGES].map(([name, from]) => [name, join(folder, tarballName(name, manifestOf(from).version))]),
  );
}

function tarballName(name, version) {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/** Installs tarballs, and nothing else by name, into an empty folder. */
export async function install(folder, tarballs, { optional = true } = {}) {
  await writeFile(join(folder, "package.json"), '{ "name": "alone", "private": true, "type": "module" }\n');
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"];
  await run("npm", ["install", ...quiet, ...(optional ? [] : ["--omit=optional"]), ...tarballs], {
    cwd: folder,
    maxBuffer: 1 << 26,
  });
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
