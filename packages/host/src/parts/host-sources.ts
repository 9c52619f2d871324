import type { Actor, HostServices } from "@ikigai/core";
import { formatAddress } from "@ikigai/core";
import { createSourceManager, OUTPUT_MOUNT, type ToolRegistry } from "@ikigai/core/host";
import { journalledSource } from "@ikigai/memory";
import type { Config } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import { watchMounts, type WatchedSources } from "../mcp/watch-mounts.ts";
import { ASSETS, HOW_TO_REACH_HOST, locateUnder, WORKSPACE } from "../policy/host-policy.ts";
import type { Judgement } from "../policy/create-judgement.ts";
import type { MeantPlaces } from "../policy/meant-places.ts";
import type { HostStore } from "../store/host-store.ts";
import { createStreamCursors } from "./stream-cursors.ts";
import { tellOfChanges } from "./changes/tell-of-changes.ts";

export interface HostSourcesOptions {
  readonly place: Place;
  /** The workspace, as a real path. */
  readonly root: string;
  readonly config: Config;
  readonly registry: ToolRegistry;
  readonly services: HostServices;
  readonly store: HostStore;
  /** Absent: there is no workspace. */
  readonly meant: MeantPlaces | undefined;
  readonly whyNoWorkspace: string | undefined;
  readonly judgement: Pick<Judgement, "isOwn">;
  /** Called with the address of each text that was changed. */
  readonly changed: (address: string) => void;
  readonly warn: (message: string) => void;
}

/** Whether changes of a mount are written down here: assets write their rows in their own transactions. */
export function isJournalled(mount: string, { journal }: Pick<Config, "journal">): boolean {
  return mount !== ASSETS && mount !== OUTPUT_MOUNT && journal !== false;
}

/** Whose history a text of a mount has. */
export function historyOwner(root: string): (mount: string, actor: Pick<Actor, "agent">) => string {
  return (mount, { agent }) => (mount === ASSETS ? agent : mount === WORKSPACE ? `folder:${root}` : `mount:${mount}`);
}

/** The sources of a host: routed, journalled, and telling of their changes. */
export function createHostSources(options: HostSourcesOptions): WatchedSources {
  const { place, root, config, store, meant, whyNoWorkspace, changed, warn } = options;
  const ownerOf = historyOwner(root);
  const sources = createSourceManager({
    registry: options.registry,
    services: options.services,
    workspace: WORKSPACE,
    locate: whyNoWorkspace === undefined ? locateUnder(place.root) : () => undefined,
    ...(meant !== undefined && { locateUri: (path: string) => meant.locateUri(path) }),
    ...(whyNoWorkspace !== undefined && { whyNoWorkspace }),
    howToReachHost: HOW_TO_REACH_HOST,
    isOwn: options.judgement.isOwn,
    warn: (mount, message) => warn(`${mount}: ${message}`),
    cursors: createStreamCursors({
      stateDirectory: place.stateDirectory,
      root,
      agent: place.agent,
      isKept: (mount) => config.sources?.some((source) => source.mount === mount) ?? false,
    }),
    decorate(plain, mount) {
      const tell = (path: string): void => changed(formatAddress({ mount, path }));
      if (!isJournalled(mount, config)) return tellOfChanges(plain, tell);
      return journalledSource(plain, {
        mount,
        owner: ownerOf(mount, { agent: place.agent }),
        journal: async () => store.journal,
        warn,
        changed: tell,
      });
    },
  });
  return watchMounts(sources);
}
