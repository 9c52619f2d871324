import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import { toResourceUri } from "./resource-uri.ts";

export interface WatchTextsOptions {
  readonly sources: SourceManager;
  /** The mounts whose texts are told of. */
  readonly offered: () => readonly string[];
  /** Folders whose files have URIs of their own. */
  readonly folders: readonly { readonly mount: string; readonly root: string }[];
  readonly isListed: (mount: string) => boolean;
  /** Called when a text of a listed mount came or went. */
  readonly listChanged: () => void;
  readonly onMountsChange?: (listener: () => void) => Disposable;
  readonly warn: (message: string) => void;
}

/** Reports the URIs of texts that change, in the mounts of now and in those that come, until disposed. */
export function watchTexts(options: WatchTextsOptions, listener: (uri: string) => void): Disposable {
  const { sources, offered, warn } = options;
  const stopping = new AbortController();
  const watched = new Set<string>();
  const watchAll = (): void => {
    for (const { mount, capabilities } of sources.status()) {
      if (!capabilities.includes("watch") || watched.has(mount) || !offered().includes(mount)) continue;
      watched.add(mount);
      watchMount(mount, options, { signal: stopping.signal, listener })
        .catch((error: unknown) => warn(`${mount} is no longer watched: ${messageOf(error)}`))
        .finally(() => watched.delete(mount));
    }
  };
  watchAll();
  const mounts = options.onMountsChange?.(watchAll);
  return {
    [Symbol.dispose]() {
      mounts?.[Symbol.dispose]();
      stopping.abort();
    },
  };
}

async function watchMount(
  mount: string,
  { sources, folders, isListed, listChanged }: WatchTextsOptions,
  { signal, listener }: { readonly signal: AbortSignal; readonly listener: (uri: string) => void },
): Promise<void> {
  const { source } = sources.routePrefix(`${mount}:///`);
  for await (const { path, change } of source.watch?.({ signal }) ?? []) {
    listener(toResourceUri({ mount, path }));
    if (change !== "updated" && isListed(mount)) listChanged();
    for (const { root } of folders.filter((folder) => folder.mount === mount)) {
      listener(pathToFileURL(join(root, path)).href);
    }
  }
}
