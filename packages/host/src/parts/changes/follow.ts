import { watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "@ikigai/core";
import type { ReconcileStrategy, StreamNotice } from "@ikigai/core/host";
import { fileChanges, setFileRules } from "@ikigai/source-file";
import { CONFIG_FILE } from "../../configuration/config.ts";
import { effectiveConfig } from "../../configuration/effective-config.ts";
import { WORKSPACE } from "../../policy/host-policy.ts";
import type { Host } from "../../host.ts";
import type { Place } from "../../place/place.ts";
import { type AssetStream, createAssetStream } from "../../store/asset-stream.ts";
import { keepUp } from "../../store/upkeep.ts";
import { CHANGES_MOUNT, ASSET_CHANGES } from "../../policy/own-mounts.ts";

export interface FollowOptions {
  /** Receives one line about what became of a change. */
  readonly notify: (message: string) => void;
  readonly complain: (message: string) => void;
  /** Whether a conversation hears of it, which says what it took. Default false. */
  readonly conversation?: boolean;
}

export interface Following extends AsyncDisposable, Pick<AssetStream, "taken"> {}

/**
 * What a host does that lives for a while: it hears of changes on disk and of assets, keeps the index of notes up with
 * them, merges them into loaded blocks when asked to, takes new rules without a restart, and lets go of history as the
 * user wants.
 *
 * Contract: nothing is written to disk; a configuration that is wrong leaves the rules as they were, and says so.
 */
export async function followChanges(
  host: Host,
  place: Place,
  { notify, complain, conversation = false }: FollowOptions,
): Promise<Following> {
  const { sources, blocks, config, services } = host;
  const followingNotes = services.notes?.follow(complain);
  const mode = config.watch ?? "off";
  if (mode !== "off") {
    await sources.mount({
      mount: CHANGES_MOUNT,
      source: fileChanges,
      options: { root: place.root, mount: WORKSPACE },
    });
  }
  const { agent } = place;
  const assets = createAssetStream({ store: host.store, agent, resume: conversation, complain });
  await sources.mount({ mount: ASSET_CHANGES, source: assets.source, options: {} });
  const stopUpkeep = keepUp(host.store, config.retention ?? {}, { notify, complain });
  const strategy: ReconcileStrategy | undefined = mode === "off" || mode === "notify" ? undefined : mode;
  const listening = sources.onEvent(({ mount, event }) => {
    if ((mount !== CHANGES_MOUNT && mount !== ASSET_CHANGES) || strategy === undefined) return;
    const { uri } = event.data as { uri: string };
    blocks.onSourceChange(uri, strategy).then(
      (outcomes) => {
        for (const { label, outcome, error } of outcomes) {
          if (outcome !== "unchanged") notify(`${label}: ${outcome}${error === undefined ? "" : `, ${error}`}`);
        }
      },
      (error: unknown) => complain(`${uri}: ${messageOf(error)}`),
    );
  });
  const stopWatching = watchConfiguration(
    place,
    async () => {
      const { rules = [] } = await effectiveConfig(place, complain);
      setFileRules(sources.routePrefix(`${WORKSPACE}:///`).source, rules);
      notify(`${CONFIG_FILE} changed: ${rules.length} rules are in force`);
    },
    complain,
  );
  return {
    taken(notices) {
      assets.taken(notices);
      const mounted = new Set(sources.status().map(({ mount }) => mount));
      for (const { mount, event } of latestPerMount(notices, mounted)) {
        if (mount !== ASSET_CHANGES) sources.taken(mount, event.cursor);
      }
    },
    async [Symbol.asyncDispose]() {
      await followingNotes?.[Symbol.asyncDispose]();
      stopWatching();
      stopUpkeep();
      listening[Symbol.dispose]();
      await sources.unmount(ASSET_CHANGES);
      await assets.settled();
      if (mode !== "off") await sources.unmount(CHANGES_MOUNT);
    },
  };
}

/** The last notice of each stream that is still mounted. */
function latestPerMount(notices: readonly StreamNotice[], mounted: ReadonlySet<string>): Iterable<StreamNotice> {
  return new Map(notices.filter(({ mount }) => mounted.has(mount)).map((notice) => [notice.mount, notice])).values();
}

const SETTLE_MS = 100;

/** Looks at the folders, since editors replace the file. */
function watchConfiguration(
  place: Place,
  reload: () => Promise<void>,
  complain: (message: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onChange = (name: string | null): void => {
    if (name !== null && name !== CONFIG_FILE) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      reload().catch((error: unknown) => complain(`${CONFIG_FILE} is not taken: ${messageOf(error)}`));
    }, SETTLE_MS);
    timer.unref();
  };
  const watchers = [join(place.root, CONFIG_FILE), join(place.configDirectory, CONFIG_FILE)].flatMap((file) => {
    try {
      return [
        watch(dirname(file), { persistent: false }, (_, name) => onChange(name === null ? null : basename(name))),
      ];
    } catch {
      return []; // The folder is not there, so nothing in it can change.
    }
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
