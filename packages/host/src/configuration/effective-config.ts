import { join } from "node:path";
import { type Config, CONFIG_FILE, loadConfig, readConfig } from "./config.ts";
import type { McpConfig } from "./server-config.ts";
import { locateRecall } from "./recall-config.ts";
import { isPerson } from "../policy/assert-person.ts";
import { acceptTrust } from "../trust/accept-trust.ts";
import type { Place } from "../place/place.ts";
import {
  createRunTrust,
  openProjectTrust,
  openTrustStore,
  type ProjectTrust,
  type RunTrust,
} from "../trust/project-trust.ts";

type Decide = (project: ProjectTrust) => Promise<boolean>;

/** The configuration that counts, and what judges the runs of what the project's own names. */
export interface OpenConfig {
  readonly config: Config;
  /** Absent: the project's configuration has no effect. */
  readonly trust?: RunTrust;
}

/** The configuration that counts, as {@link openConfig} gives it. */
export async function effectiveConfig(place: Place, warn: (message: string) => void): Promise<Config> {
  return (await openConfig(place, warn)).config;
}

/**
 * The user's own configuration, and the project's when it is trusted.
 *
 * Contract: an untrusted project changes nothing, and `warn` says how to look at it, unless `given` says that the person
 * trusts it now. Each file is read once, and what was judged is what counts. Lists are joined, the project's
 * entries first; of single values, and of agents with one name, the user's counts.
 */
export async function openConfig(place: Place, warn: (message: string) => void, given?: Decide): Promise<OpenConfig> {
  // Whoever answers at the terminal of an agent's command is that command.
  const decide = isPerson() ? given : undefined;
  const user = located(await loadConfig(place.configDirectory), place.configDirectory);
  const project = await readConfig(place.root);
  const { config, bytes, fault } = project;
  if (bytes === undefined) {
    if (fault !== undefined) warn(`${fault.message}, so it has no effect`);
    return { config: fault === undefined ? merge(config, user) : user };
  }
  const found = await openProjectTrust(place, project);
  const { state, root } = found;
  const agreed = state.state !== "trusted" && fault === undefined && (await decide?.(found)) === true;
  if (agreed) await acceptTrust(place, found);
  if (agreed || state.state === "trusted") {
    if (fault !== undefined) throw fault;
    const ask = async (): Promise<boolean> => {
      const now = await openProjectTrust(place, project);
      if ((await decide?.(now)) !== true) return false;
      await acceptTrust(place, now);
      return true;
    };
    const trust = createRunTrust({
      store: openTrustStore(place),
      root,
      trusted: found.content,
      ...(decide !== undefined && { ask }),
    });
    return { config: merge(located(config, root), user), trust };
  }
  const why = state.state === "changed" ? "changed since you trusted it" : "is not trusted yet";
  warn(`${CONFIG_FILE} in ${place.root} ${why}, so it has no effect. Look at it with: ikigai trust`);
  return { config: user };
}

/** Makes absolute what depends on the folder of the configuration: its paths, and the file that a rule came from. */
function located(config: Config, folder: string): Config {
  const { hooks, sources, parts, mcp } = config;
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
    ...(parts !== undefined && {
      parts: here(parts).map((part, at) => ({ ...part, section: `parts.${at}.options` })),
    }),
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
    parts: both(project.parts, user.parts),
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
