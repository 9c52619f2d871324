import { watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, type ReconcileStrategy } from "@ikigai/core";
import { fileChanges, setFileRules } from "@ikigai/source-file";
import { CONFIG_FILE } from "./config.ts";
import { effectiveConfig } from "./effective-config.ts";
import { WORKSPACE } from "./host-policy.ts";
import type { Host } from "./host.ts";
import type { Settings } from "./settings.ts";

export const CHANGES_MOUNT = "file-changes";

export interface FollowOptions {
  /** Told what became of a change, in one line. */
  readonly notify: (message: string) => void;
  readonly complain: (message: string) => void;
}

/**
 * What a host does that lives for a while: it hears of changes on disk, keeps the index of notes up with them, merges
 * them into loaded blocks when asked to, and takes new rules without a restart.
 *
 * Contract: nothing is written to disk; a configuration that is wrong leaves the rules as they were, and says so.
 */
export async function followChanges(
  host: Host,
  settings: Settings,
  { notify, complain }: FollowOptions,
): Promise<AsyncDisposable> {
  const { sources, blocks, config, notes } = host;
  const followingNotes = notes.follow(complain);
  const mode = config.watch ?? "off";
  if (mode !== "off") {
    await sources.mount({
      mount: CHANGES_MOUNT,
      source: fileChanges,
      options: { root: settings.root, mount: WORKSPACE },
    });
  }
  const strategy: ReconcileStrategy | undefined = mode === "off" || mode === "notify" ? undefined : mode;
  const listening = sources.onEvent(({ mount, event }) => {
    if (mount !== CHANGES_MOUNT || strategy === undefined) return;
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
    settings,
    async () => {
      const { rules = [] } = await effectiveConfig(settings, complain);
      setFileRules(sources.routePrefix(`${WORKSPACE}:///`).source, rules);
      notify(`${CONFIG_FILE} changed: ${rules.length} rules are in force`);
    },
    complain,
  );
  return {
    async [Symbol.asyncDispose]() {
      await followingNotes[Symbol.asyncDispose]();
      stopWatching();
      listening[Symbol.dispose]();
      if (mode !== "off") await sources.unmount(CHANGES_MOUNT);
    },
  };
}

const SETTLE_MS = 100;

/** Looks at the folders, since editors replace the file. */
function watchConfiguration(
  settings: Settings,
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
  const watchers = [join(settings.root, CONFIG_FILE), join(settings.configDirectory, CONFIG_FILE)].flatMap((file) => {
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
