import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMemoryPermission, IkigaiError, messageOf } from "@ikigai/core";
import type { Command } from "commander";
import { actOfAPerson } from "@ikigai/host/policy";
import { type AddCommand, examples } from "../command-line.ts";
import {
  type Config,
  CONFIG_FILE,
  describeJsonProblem,
  loadConfig,
  readConfig,
  type SourceConfig,
} from "@ikigai/host/configuration";
import {
  addEntry,
  assertFreeMount,
  type CheckedCase,
  checkPlugin,
  isFound,
  loadPlugin,
  readPluginName,
  removeEntry,
  resolvePlugin,
  tryPlugin,
} from "@ikigai/host/plugins";
import { mountOfServer } from "@ikigai/host/mcp";
import { FEATURES, installCommand, isInstalled, SOURCES } from "@ikigai/host/parts";
import { type GlobalFlags, resolveSettings, type Settings } from "../settings.ts";
import { reserveStdout } from "../terminal/results-output.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openProjectTrust } from "@ikigai/host/trust";
import { table } from "./sources.ts";

interface AddFlags {
  readonly mount?: string;
  readonly options?: string;
  readonly permission?: string;
  /** False: it is not opened first. */
  readonly check: boolean;
}

interface Place {
  readonly settings: Settings;
  readonly terminal: Terminal;
}

/** Needs no host: these look at the configuration, not at what it mounts. */
export const addPlugin: AddCommand = (program, _, { openTerminal, setExitCode }) => {
  const place = (): Place => {
    const settings = resolveSettings(program.opts<GlobalFlags>());
    return { settings, terminal: openTerminal(settings.quiet) };
  };
  const plugin: Command = program.command("plugin").description("add, remove, list and check source plugins");
  plugin
    .command("add <package>")
    .description("open a plugin on trial and add it to the workspace's configuration")
    .option("--mount <name>", "the name of the mount (default: from the package's name)")
    .option("--options <json>", "what the plugin takes")
    .option("--permission <permission>", "a ceiling on what may be changed")
    .option("--no-check", "add it even if it cannot be opened now")
    .action((use: string, flags: AddFlags) => add(place(), use, flags))
    .addHelpText(
      "after",
      examples(`ikigai plugin add @ikigai/source-git --mount released --options '{"repository":"."}'`),
    );
  plugin
    .command("remove <mount>")
    .description("take a plugin out of the workspace's configuration")
    .action(async (mount: string) => {
      const { settings, terminal } = place();
      const effect = { action: "update", target: join(settings.root, CONFIG_FILE) } as const;
      const act = { command: "plugin remove", effect, input: { mount } };
      await actOfAPerson(settings, act, () => removeEntry(settings.root, mount));
      terminal.print(`Removed ${mount}. Its package stays installed.`);
    });
  plugin
    .command("list")
    .description("list the configured plugins and whether each can be loaded")
    .action(async () => setExitCode(await list(place())));
  plugin
    .command("check <mount>")
    .description("run the conformance suite against a configured plugin; without --scratch nothing is written")
    .option(
      "--scratch <file>",
      "options of throwaway places, with {folder} or {id} in them: runs the writing cases too",
    )
    .action(async (mount: string, { scratch }: { scratch?: string }) =>
      setExitCode(await check(place(), mount, scratch)),
    )
    .addHelpText("after", examples("ikigai plugin check notes", "ikigai plugin check notes --scratch scratch.json"));
};

const OPTIONS_EXAMPLE = `Write it in single quotes, such as --options '{"repository":"."}'.`;

async function add({ settings, terminal }: Place, use: string, flags: AddFlags): Promise<void> {
  const { permission } = flags;
  const { root } = settings;
  if (permission !== undefined && !isMemoryPermission(permission)) {
    throw new IkigaiError("invalid_input", `${JSON.stringify(permission)} is not a permission`, {
      hint: "Use read_only, partner, human, append, read_write or admin.",
    });
  }
  const options = flags.options === undefined ? undefined : parseOptions(flags.options);
  const mount = flags.mount ?? mountNameOf(use);
  const entry: SourceConfig = { use, mount, ...(options && { options }), ...(permission && { permission }) };
  const { sources = [], mcp } = await loadConfig(root);
  assertFreeMount(mount, [...sources.map((one) => one.mount), ...Object.keys(mcp?.servers ?? {}).map(mountOfServer)]);
  if (flags.check) await tryPlugin(entry, root, { beforeImport: reserveStdout });
  const effect = { action: "update", target: join(root, CONFIG_FILE) } as const;
  await actOfAPerson(settings, { command: "plugin add", effect, input: { ...entry } }, () => addEntry(root, entry));
  terminal.print(`Added ${use} as ${mount}:///`);
  terminal.note(`${CONFIG_FILE} changed, so it has no effect before you look at it with: ikigai trust`);
}

async function list({ settings, terminal }: Place): Promise<number> {
  const { config, isTrusted: trusted } = await readTrusted(settings);
  const rows: { mount: string; use: string; state: string }[] = [];
  for (const entry of config.sources ?? []) {
    const { mount, use } = entry;
    const others = rows.map((row) => row.mount);
    rows.push({ mount, use, state: trusted ? await stateOf(entry, others, settings.root) : "not trusted" });
  }
  if (settings.json) terminal.print(JSON.stringify(rows));
  else {
    const configured = rows.map((row) => [row.mount, row.use, row.state]);
    for (const line of table([["MOUNT", "PLUGIN", "STATE"], ...configured])) terminal.print(line);
    terminal.print("");
    for (const line of packageLines(settings.root)) terminal.print(line);
  }
  return rows.every(({ state }) => state === "ok" || state === "not trusted") ? 0 : 1;
}

/** The packages of ours that can be there beside the file source. */
function packageLines(root: string): string[] {
  const brings = new Map(Object.entries(SOURCES));
  for (const { does, packages } of Object.values(FEATURES))
    for (const name of packages) if (!brings.has(name)) brings.set(name, does);
  const missing = [...brings.keys()].filter((name) =>
    Object.hasOwn(SOURCES, name) ? !isFound(name, root) : !isInstalled(name),
  );
  const rows = [...brings].map(([name, what]) => [name, missing.includes(name) ? "can be added" : "installed", what]);
  const lines = table([["PACKAGE", "STATE", "FOR"], ...rows]);
  const [first] = missing;
  return first === undefined ? lines : [...lines, "", `To add one: ${installCommand([first])}`];
}

/** The workspace's configuration, and whether the user trusts it and everything that it may run. */
async function readTrusted(settings: Settings): Promise<{ readonly config: Config; readonly isTrusted: boolean }> {
  const loaded = await readConfig(settings.root);
  if (loaded.fault !== undefined) throw loaded.fault;
  const project = await openProjectTrust(settings, loaded);
  const folder = await project.lookAtFolder();
  const isSame = folder === undefined || folder.changes?.length === 0;
  return { config: loaded.config, isTrusted: project.state.state === "trusted" && isSame };
}

async function stateOf(entry: SourceConfig, others: readonly string[], root: string): Promise<string> {
  try {
    assertFreeMount(entry.mount, others);
    await tryPlugin(entry, root, { beforeImport: reserveStdout });
    return "ok";
  } catch (error) {
    return messageOf(error);
  }
}

async function check({ settings, terminal }: Place, mount: string, scratch: string | undefined): Promise<number> {
  const { config, isTrusted } = await readTrusted(settings);
  const entry = config.sources?.find((source) => source.mount === mount);
  if (entry === undefined) {
    throw new IkigaiError("not_found", `No plugin is configured as "${mount}"`, { hint: "See: ikigai plugin list." });
  }
  if (!isTrusted) {
    throw new IkigaiError("permission_denied", "The workspace's configuration is not trusted", {
      hint: "Run: ikigai trust",
    });
  }
  await tryPlugin(entry, settings.root, { beforeImport: reserveStdout });
  const definition = await loadPlugin(entry.use, settings.root);
  const options = entry.options ?? {};
  const text = scratch === undefined ? undefined : await readScratch(scratch);
  const module = resolvePlugin(readPluginName(entry.use, settings.root).module, settings.root);
  const cases = await checkPlugin({ definition, options, module, ...(text !== undefined && { scratch: text }) });
  const failed = cases.filter(({ error }) => error !== undefined);
  if (settings.json) terminal.print(JSON.stringify(cases));
  else for (const line of reportOf(cases)) terminal.print(line);
  const writes = definition.kind === "block" && (definition.capabilities as readonly string[]).includes("write");
  if (writes && scratch === undefined)
    terminal.note("Only reading was checked. Pass --scratch FILE to check writing in throwaway places.");
  return failed.length === 0 ? 0 : 1;
}

/** Contract: `not_found` or `unavailable` names the file. */
async function readScratch(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const absent = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new IkigaiError(
      absent ? "not_found" : "unavailable",
      `The scratch file ${file} ${absent ? "is not there" : "cannot be read"}`,
      { hint: 'Write one with the options of a throwaway place, as in {"file": "{folder}/x.db"}.', cause },
    );
  }
}

function reportOf(cases: readonly CheckedCase[]): string[] {
  const [failed, unseen] = [cases.filter(({ error }) => error), cases.filter(({ unseen }) => unseen)];
  const lines = cases.map(({ id, error, unseen }) => {
    if (error !== undefined) return `not ok ${id}: ${error}`;
    return unseen === undefined ? `ok ${id}` : `-- ${id}: ${unseen}`;
  });
  const held = cases.length - failed.length - unseen.length;
  const rest = unseen.length === 0 ? "" : `, ${unseen.length} could not be seen`;
  return [...lines, `${held} hold, ${failed.length} do not${rest}`];
}

function parseOptions(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    throw new IkigaiError("invalid_input", `--options is not valid JSON: ${describeJsonProblem(text)}`, {
      cause,
      hint: OPTIONS_EXAMPLE,
    });
  }
  throw new IkigaiError("invalid_input", "--options must be a JSON object", { hint: OPTIONS_EXAMPLE });
}

function mountNameOf(use: string): string {
  const last =
    use
      .replace(/^.+#/s, "")
      .replace(/\.[cm]?js$/, "")
      .split("/")
      .at(-1) ?? "";
  const name = last
    .replace(/^(ikigai-)?source-/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-+$/g, "");
  if (name !== "") return name.slice(0, 32);
  throw new IkigaiError("invalid_input", `"${use}" gives no name for a mount`, { hint: "Pass --mount NAME." });
}
