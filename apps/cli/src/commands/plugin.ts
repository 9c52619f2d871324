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
  type PartConfig,
  readConfig,
  type SourceConfig,
} from "@ikigai/host/configuration";
import {
  addEntry,
  addPartEntry,
  assertFreeMount,
  type CheckedCase,
  checkPart,
  checkPlugin,
  isFound,
  kindOfPlugin,
  readPluginName,
  removeEntry,
  resolvePlugin,
  tryPart,
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
  /** Whether it is a part, for what is not opened first. */
  readonly part?: boolean;
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
  const plugin: Command = program
    .command("plugin")
    .description("add, remove, list and check plugins: sources and parts");
  plugin
    .command("add <package>")
    .description("open a plugin on trial and add it to the workspace's configuration")
    .option("--mount <name>", "the name of the mount (default: from the package's name)")
    .option("--options <json>", "what the plugin takes")
    .option("--permission <permission>", "a ceiling on what may be changed")
    .option("--part", "it brings a part and no source (with --no-check; otherwise that is found out)")
    .option("--no-check", "add it even if it cannot be opened now")
    .action((use: string, flags: AddFlags) => add(place(), use, flags))
    .addHelpText(
      "after",
      examples(`ikigai plugin add @ikigai/source-git --mount released --options '{"repository":"."}'`),
    );
  plugin
    .command("remove <mount>")
    .description(
      "take a plugin out of the workspace's configuration: a source by its mount, a part by its package or file",
    )
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

/** Code of others prints as it likes; results stay alone on standard output. */
const LOADING = { beforeImport: reserveStdout };
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
  const kind = flags.check ? await kindOfPlugin(use, root, LOADING) : flags.part === true ? "part" : "source";
  if (kind === "part") return addPart({ settings, terminal }, { use, ...(options && { options }) }, flags);
  const mount = flags.mount ?? mountNameOf(use);
  const entry: SourceConfig = { use, mount, ...(options && { options }), ...(permission && { permission }) };
  const { sources = [], mcp } = await loadConfig(root);
  assertFreeMount(mount, [...sources.map((one) => one.mount), ...Object.keys(mcp?.servers ?? {}).map(mountOfServer)]);
  if (flags.check) await tryPlugin(entry, root, LOADING);
  const effect = { action: "update", target: join(root, CONFIG_FILE) } as const;
  await actOfAPerson(settings, { command: "plugin add", effect, input: { ...entry } }, () => addEntry(root, entry));
  terminal.print(`Added ${use} as ${mount}:///`);
  terminal.note(`${CONFIG_FILE} changed, so it has no effect before you look at it with: ikigai trust`);
}

async function addPart({ settings, terminal }: Place, entry: PartConfig, flags: AddFlags): Promise<void> {
  const { root } = settings;
  const flag = flags.mount !== undefined ? "--mount" : flags.permission !== undefined ? "--permission" : undefined;
  if (flag !== undefined) {
    throw new IkigaiError("invalid_input", `${flag} is for sources, and ${entry.use} brings a part`, {
      hint: `Leave ${flag} out; a part names its mounts itself.`,
    });
  }
  const { parts = [] } = await loadConfig(root);
  if (flags.check) await tryPart({ ...entry, section: sectionAt(parts.length) }, root, LOADING);
  const effect = { action: "update", target: join(root, CONFIG_FILE) } as const;
  const act = { command: "plugin add", effect, input: { ...entry } };
  await actOfAPerson(settings, act, () => addPartEntry(root, entry));
  terminal.print(`Added the part ${entry.use}`);
  terminal.note(`${CONFIG_FILE} changed, so it has no effect before you look at it with: ikigai trust`);
}

async function list({ settings, terminal }: Place): Promise<number> {
  const { config, isTrusted: trusted } = await readTrusted(settings);
  const rows: { mount?: string; part?: string; use: string; state: string }[] = [];
  for (const entry of config.sources ?? []) {
    const { mount, use } = entry;
    const others = rows.flatMap((row) => row.mount ?? []);
    rows.push({ mount, use, state: trusted ? await stateOf(entry, others, settings.root) : "not trusted" });
  }
  for (const [at, configured] of (config.parts ?? []).entries()) {
    const entry = { ...configured, section: sectionAt(at) };
    rows.push(trusted ? await partRow(entry, settings.root) : { part: "", use: entry.use, state: "not trusted" });
  }
  if (settings.json) terminal.print(JSON.stringify(rows));
  else {
    const configured = rows.map((row) => [row.mount ?? `part ${row.part}`.trim(), row.use, row.state]);
    for (const line of table([["MOUNT", "PLUGIN", "STATE"], ...configured])) terminal.print(line);
    terminal.print("");
    for (const line of packageLines(settings.root)) terminal.print(line);
  }
  return rows.every(({ state }) => /^ok\b|^not trusted$/.test(state)) ? 0 : 1;
}

/** Place of a part's options in the configuration, for messages. */
function sectionAt(index: number): string {
  return `parts.${index}.options`;
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
    await tryPlugin(entry, root, LOADING);
    return "ok";
  } catch (error) {
    return messageOf(error);
  }
}

async function partRow(entry: PartConfig, root: string): Promise<{ part: string; use: string; state: string }> {
  const { use } = entry;
  try {
    const { part, needs } = await tryPart(entry, root, LOADING);
    const state = needs.length === 0 ? "ok" : `ok, opened where there is ${needs.join(" and ")}`;
    return { part: part.name, use, state };
  } catch (error) {
    return { part: "", use, state: messageOf(error) };
  }
}

async function check({ settings, terminal }: Place, mount: string, scratch: string | undefined): Promise<number> {
  const { config, isTrusted } = await readTrusted(settings);
  const entry = config.sources?.find((source) => source.mount === mount);
  const part = config.parts?.find(({ use }) => use === mount);
  if (entry === undefined && part === undefined) {
    throw new IkigaiError("not_found", `No plugin is configured as "${mount}"`, {
      hint: `See: ikigai plugin list. One that is not configured is added first, with: ikigai plugin add ${mount}`,
    });
  }
  if (!isTrusted) {
    throw new IkigaiError("permission_denied", "The workspace's configuration is not trusted", {
      hint: "Run: ikigai trust",
    });
  }
  if (entry === undefined) return part === undefined ? 1 : checkConfiguredPart({ settings, terminal }, part, scratch);
  const definition = await tryPlugin(entry, settings.root, LOADING);
  const options = entry.options ?? {};
  const text = scratch === undefined ? undefined : await readScratch(scratch);
  const module = resolvePlugin(readPluginName(entry.use, settings.root).module, settings.root);
  const cases = await checkPlugin({ definition, options, module, ...(text !== undefined && { scratch: text }) });
  const code = report({ settings, terminal }, cases);
  const writes = definition.kind === "block" && (definition.capabilities as readonly string[]).includes("write");
  if (writes && scratch === undefined)
    terminal.note("Only reading was checked. Pass --scratch FILE to check writing in throwaway places.");
  return code;
}

/** Contract: `invalid_input` for `--scratch`, since the suite for parts has a workspace in memory. */
async function checkConfiguredPart(place: Place, entry: PartConfig, scratch: string | undefined): Promise<number> {
  if (scratch !== undefined) {
    throw new IkigaiError("invalid_input", `--scratch is for sources, and ${entry.use} is a part`, {
      hint: "Leave --scratch out: a part is checked in a host of its own, in memory.",
    });
  }
  const { part, needs } = await tryPart(entry, place.settings.root, LOADING);
  if (needs.length > 0) {
    throw new IkigaiError("unsupported", `${entry.use} needs ${needs.join(" and ")}, which only a whole host has`, {
      hint: "See with ikigai doctor whether it opens; its author proves it with testPart and the services it needs.",
    });
  }
  return report(place, await checkPart(part, entry.options));
}

/** Contract: gives the exit code, 1 when a case does not hold. */
function report({ settings, terminal }: Place, cases: readonly CheckedCase[]): number {
  if (settings.json) terminal.print(JSON.stringify(cases));
  else for (const line of reportOf(cases)) terminal.print(line);
  return cases.some(({ error }) => error !== undefined) ? 1 : 0;
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
