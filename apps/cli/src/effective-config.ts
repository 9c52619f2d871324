import { realpathSync } from "node:fs";
import { IkigaiError } from "@ikigai/core";
import {
  createTrust,
  createJsonFile,
  fingerprintFiles,
  type Trust,
  type TrustedFile,
  trustFile,
  type TrustState,
} from "@ikigai/permission";
import { join } from "node:path";
import { type Config, CONFIG_FILE, loadConfig } from "./config.ts";
import type { McpConfig } from "./mcp/server-config.ts";
import { projectContent } from "./project-content.ts";
import { locateRecall } from "./recall-config.ts";
import type { Settings } from "./settings.ts";

/** What the project folder brings, and whether the user trusts it. */
export interface ProjectTrust {
  readonly root: string;
  readonly content: readonly TrustedFile[];
  readonly state: TrustState;
  readonly trust: Trust;
}

export async function openProjectTrust(settings: Settings, config: Config): Promise<ProjectTrust> {
  const root = realpathSync(settings.root);
  const trust = createTrust(createJsonFile(join(settings.stateDirectory, "trust.json"), trustFile, { folders: [] }));
  const content = await fingerprintFiles(await projectContent(root, config));
  return { root, content, state: await trust.check(root, content), trust };
}

/**
 * The user's own configuration, and the project's when it is trusted.
 *
 * Contract: an untrusted project changes nothing, and `warn` says how to look at it, unless `decide` says that the person
 * trusts it now. Lists are joined, the project's
 * entries first; of single values, and of agents with one name, the user's counts.
 */
export async function effectiveConfig(
  settings: Settings,
  warn: (message: string) => void,
  decide?: (project: ProjectTrust) => Promise<boolean>,
): Promise<Config> {
  const user = located(await loadConfig(settings.configDirectory), settings.configDirectory);
  const { config: project, fault } = await loadProject(settings.root);
  const found = await openProjectTrust(settings, project);
  const { state } = found;
  const agreed = state.state !== "trusted" && fault === undefined && (await decide?.(found)) === true;
  if (agreed) await found.trust.trust(found.root, found.content);
  if (agreed || state.state === "trusted") {
    if (fault !== undefined) throw fault;
    return merge(located(project, realpathSync(settings.root)), user);
  }
  const why = state.state === "changed" ? "changed since you trusted it" : "is not trusted yet";
  warn(`${CONFIG_FILE} in ${settings.root} ${why}, so it has no effect. Look at it with: ikigai trust`);
  return user;
}

/** The project's configuration, or what is wrong with it: an untrusted one may be anything and stop nothing. */
export async function loadProject(root: string): Promise<{ readonly config: Config; readonly fault?: IkigaiError }> {
  try {
    return { config: await loadConfig(root) };
  } catch (error) {
    if (IkigaiError.is(error)) return { config: {}, fault: error };
    throw error;
  }
}

/** What depends on where the configuration stands: paths in it, and which file a rule came from. */
function located(config: Config, folder: string): Config {
  const { hooks, sources, mcp } = config;
  const recall = locateRecall(config.recall, folder);
  const rules = config.rules?.map((rule) => ({ ...rule, from: join(folder, CONFIG_FILE) }));
  const here = <T>(entries: readonly T[] = []): (T & { from: string })[] =>
    entries.map((entry) => ({ ...entry, from: folder }));
  const servers = Object.entries(mcp?.servers ?? {}).map(([name, server]) => [name, { ...server, from: folder }]);
  return {
    ...config,
    ...(recall !== undefined && { recall }),
    ...(rules !== undefined && { rules }),
    ...(sources !== undefined && { sources: here(sources) }),
    ...(hooks !== undefined && { hooks: { before: here(hooks.before), after: here(hooks.after) } }),
    ...(mcp !== undefined && { mcp: { servers: Object.fromEntries(servers) as McpConfig["servers"] } }),
  };
}

function merge(project: Config, user: Config): Config {
  const both = <T>(first: readonly T[] | undefined, second: readonly T[] | undefined): readonly T[] => [
    ...(first ?? []),
    ...(second ?? []),
  ];
  return {
    ...project,
    ...user,
    rules: both(user.rules, project.rules),
    sources: both(project.sources, user.sources),
    agents: both(
      user.agents,
      project.agents?.filter(({ name }) => !user.agents?.some((own) => own.name === name)),
    ),
    notes: { exclude: both(user.notes?.exclude, project.notes?.exclude) },
    mcp: { servers: { ...project.mcp?.servers, ...user.mcp?.servers } },
    // The store is the user's, whatever project is open: none may shorten its memory.
    retention: user.retention,
    // A model and where it is served belong together, or a key would go to a server it is not meant for.
    base_url: user.model === undefined ? (user.base_url ?? project.base_url) : user.base_url,
    hooks: {
      before: both(user.hooks?.before, project.hooks?.before),
      after: both(user.hooks?.after, project.hooks?.after),
    },
  };
}
