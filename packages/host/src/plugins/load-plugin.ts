import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { messageOf } from "@ikigai/core";
import { type AnyPart, type AnySourceDefinition, PART_CONTRACT, SOURCE_CONTRACT } from "@ikigai/core/host";
import { chooseExport, type ExportedDefinition, kindOfExports, type WantedExport } from "./choose-export.ts";
import { pluginFailure } from "./plugin-failure.ts";
import { readPluginName } from "./plugin-name.ts";
import { probePlugin, type Trial } from "./probe.ts";
import { packageNameOf, resolveInstalled } from "./resolve-installed.ts";
import { shellWord } from "../configuration/shell-word.ts";
import { type HeldCode, holdInThisProcess } from "../trust/held-code.ts";

export interface LoadOptions {
  /** Milliseconds an import may take. Default 10,000. */
  readonly timeoutMs?: number;
  /** Called before code that is not ours is loaded into this process. */
  readonly beforeImport?: () => void;
  /** Opens and closes it too, in a process of its own, with the user's options. Default: it is only imported. */
  readonly trial?: Trial;
  /** Digests of the code that was judged; other code is not loaded. Absent: the code is loaded as it is. */
  readonly held?: HeldCode;
}

const TIMEOUT_MS = 10_000;
const PACKAGE = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SCOPE = dirname(PACKAGE);
/** Folders whose node_modules hold what comes with ikigai: its own, and the one that it is installed in. */
const OWN_PLACES: readonly string[] = [
  PACKAGE,
  ...(basename(dirname(SCOPE)) === "node_modules" ? [dirname(dirname(SCOPE))] : []),
];

/** What a module that is named under `sources` or under `parts` exports. */
interface Definitions {
  readonly source: AnySourceDefinition;
  readonly part: AnyPart;
}

const CONTRACTS: Readonly<Record<WantedExport, number>> = { source: SOURCE_CONTRACT, part: PART_CONTRACT };

/**
 * The source or the part that a package or file exports.
 *
 * Contract: looks where {@link resolvePlugin} looks, from the folder of the configuration. Each failure names the stage (resolve, import,
 * definition, contract version), the package, and what to do. A plugin that is not ours is imported in a process of its
 * own first.
 */
export async function loadPlugin<W extends WantedExport>(
  wanted: W,
  use: string,
  from: string,
  options: LoadOptions = {},
): Promise<Definitions[W]> {
  const { module, exportName } = readPluginName(use, from);
  const loaded = await importPlugin(use, resolvePlugin(module, from), exportName, options);
  const definition = definitionIn(use, loaded, wanted, exportName);
  const { contract } = definition;
  // What is exported says itself what it is: its kind was compared, and now its contract.
  if (contract === CONTRACTS[wanted]) return definition as unknown as Definitions[W];
  throw pluginFailure({
    use,
    stage: "contract version",
    what: `it speaks contract ${String(contract)}, this host ${CONTRACTS[wanted]}`,
    hint: "Install versions of the plugin and of ikigai that belong together.",
    code: "unsupported",
  });
}

/** Which list of the configuration a plugin belongs to. Contract: rejects as {@link loadPlugin}; a source goes first. */
export async function kindOfPlugin(use: string, from: string, options: LoadOptions = {}): Promise<WantedExport> {
  const { module, exportName } = readPluginName(use, from);
  const loaded = await importPlugin(use, resolvePlugin(module, from), exportName, options);
  return kindOfExports(use, loaded, exportName);
}

/** Contract: one that is not ours is tried in a process of its own first, with `trial` opened there too. */
async function importPlugin(
  use: string,
  location: string,
  exportName: string | undefined,
  options: LoadOptions,
): Promise<Record<string, unknown>> {
  if (!isOurs(use)) {
    options.beforeImport?.();
    const trial = options.trial && { ...options.trial, ...(exportName !== undefined && { exportName }) };
    await probePlugin(use, location, options.timeoutMs ?? TIMEOUT_MS, trial, options.held);
    if (options.held !== undefined) await holdInThisProcess(options.held);
  }
  try {
    return (await import(location)) as Record<string, unknown>;
  } catch (cause) {
    throw pluginFailure({
      use,
      stage: "import",
      what: `it could not be imported: ${messageOf(cause)}`,
      hint: "Ask its author, or remove it from the configuration.",
      cause,
    });
  }
}

function definitionIn(
  use: string,
  loaded: Readonly<Record<string, unknown>>,
  wanted: WantedExport,
  exportName: string | undefined,
): ExportedDefinition {
  const chosen = chooseExport(use, loaded, { wanted, exportName });
  if (chosen.definition !== undefined) return chosen.definition;
  throw pluginFailure({ use, stage: "definition", what: chosen.what, hint: chosen.hint, code: "invalid_input" });
}

/** Whether a plugin comes with ikigai, which is trusted as ikigai is. */
export function isOurs(use: string): boolean {
  return use.startsWith("@ikigai/");
}

/** Whether a package can be added as it is. Contract: looks where {@link loadPlugin} looks, and imports nothing. */
export function isFound(use: string, root: string): boolean {
  try {
    resolvePlugin(readPluginName(use, root).module, root);
    return true;
  } catch {
    return false;
  }
}

/**
 * The address of the module that a package or file names.
 *
 * Contract: a file starts at `from`, the folder of the configuration; a package is one installed there, or one that comes
 * with ikigai. No other folder is looked at. Throws a failure at `resolve` when there is none.
 */
export function resolvePlugin(use: string, from: string): string {
  if (use.startsWith(".") || isAbsolute(use)) return pathToFileURL(resolve(from, use)).href;
  const places = [from, ...OWN_PLACES];
  for (const place of places) {
    const file = resolveInstalled(use, place);
    if (file !== undefined) return pathToFileURL(file).href;
  }
  const folder = places
    .map((place) => join(place, "node_modules", packageNameOf(use)))
    .find((one) => existsSync(join(one, "package.json")));
  if (folder !== undefined) {
    throw pluginFailure({
      use,
      stage: "resolve",
      what: `it is installed in ${folder}, but the entry file that its package.json names is missing`,
      hint: `Build it: npm run build --prefix ${folder}`,
    });
  }
  throw pluginFailure({
    use,
    stage: "resolve",
    what: "it is not installed",
    hint: `Run: npm install --prefix ${shellWord(from)} ${packageNameOf(use)}`,
    code: "not_found",
  });
}
