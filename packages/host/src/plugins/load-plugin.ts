import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { messageOf } from "@ikigai/core";
import { type AnySourceDefinition, describeIssues, SOURCE_CONTRACT } from "@ikigai/core/host";
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

/**
 * The source definition that a package or file exports.
 *
 * Contract: looks where {@link resolvePlugin} looks, from the folder of the configuration. Each failure names the stage (resolve, import,
 * definition, contract version), the package, and what to do. A plugin that is not ours is imported in a process of its
 * own first.
 */
export async function loadPlugin(use: string, from: string, options: LoadOptions = {}): Promise<AnySourceDefinition> {
  const { module, exportName } = readPluginName(use, from);
  const location = resolvePlugin(module, from);
  if (!isOurs(use)) {
    const trial = options.trial && { ...options.trial, ...(exportName !== undefined && { exportName }) };
    await probePlugin(use, location, options.timeoutMs ?? TIMEOUT_MS, trial, options.held);
    if (options.held !== undefined) await holdInThisProcess(options.held);
  }
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(location)) as Record<string, unknown>;
  } catch (cause) {
    throw pluginFailure({
      use,
      stage: "import",
      what: `it could not be imported: ${messageOf(cause)}`,
      hint: "Ask its author, or remove it from the configuration.",
      cause,
    });
  }
  const definition = chooseDefinition(use, loaded, exportName);
  const contract: unknown = definition.contract;
  if (contract === SOURCE_CONTRACT) return definition;
  throw pluginFailure({
    use,
    stage: "contract version",
    what: `it speaks contract ${String(contract)}, this host ${SOURCE_CONTRACT}`,
    hint: "Install versions of the plugin and of ikigai that belong together.",
    code: "unsupported",
  });
}

/** Contract: throws a failure at `options` when the plugin's own schema refuses them. */
export async function checkPluginOptions(
  use: string,
  definition: AnySourceDefinition,
  options: unknown,
): Promise<void> {
  let what: string;
  try {
    const checked = await definition.options["~standard"].validate(options ?? {});
    if (checked.issues === undefined) return;
    what = describeIssues(checked.issues);
  } catch (cause) {
    what = `its schema fails: ${messageOf(cause)}`;
  }
  throw pluginFailure({
    use,
    stage: "options",
    what,
    hint: "Correct its options in the configuration; its README lists them.",
    code: "invalid_input",
  });
}

/** Whether a plugin comes with ikigai, which is trusted as ikigai is. */
export function isOurs(use: string): boolean {
  return use.startsWith("@ikigai/");
}

/** Contract: the export that is named; without a name the only source, or the only source of text. */
function chooseDefinition(
  use: string,
  loaded: Readonly<Record<string, unknown>>,
  exportName: string | undefined,
): AnySourceDefinition {
  const named = Object.entries(loaded).flatMap(([name, value]) => (isDefinition(value) ? [{ name, value }] : []));
  const names = named.map(({ name }) => name).join(", ");
  if (exportName !== undefined) {
    const found = named.find(({ name }) => name === exportName);
    if (found !== undefined) return found.value;
    throw pluginFailure({
      use,
      stage: "definition",
      what: `it exports no source definition called ${exportName}`,
      hint: names === "" ? "Use a package that exports a source." : `It exports: ${names}.`,
      code: "invalid_input",
    });
  }
  const definitions = named.map(({ value }) => value);
  const [only] = definitions;
  if (only !== undefined && definitions.length === 1) return only;
  const blocks = definitions.filter(({ kind }) => kind === "block");
  const [main] = blocks;
  if (main !== undefined && blocks.length === 1) return main;
  throw pluginFailure({
    use,
    stage: "definition",
    what: `it exports ${definitions.length} source definitions, not one`,
    hint:
      named[0] === undefined
        ? "Use a package that exports what defineDataBlock or defineDataStream returns."
        : `Name one of ${names}, as in ${JSON.stringify(`${use}#${named[0].name}`)}.`,
    code: "invalid_input",
  });
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

function isDefinition(value: unknown): value is AnySourceDefinition {
  if (typeof value !== "object" || value === null) return false;
  const { kind, contract, open, options } = value as Partial<AnySourceDefinition>;
  const known = (kind === "block" || kind === "stream") && contract !== undefined && typeof open === "function";
  return known && typeof options?.["~standard"]?.validate === "function";
}
