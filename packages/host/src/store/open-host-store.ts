import { mountOf } from "@ikigai/core/host";
import type { Config } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import type { HostOptions } from "../host.ts";
import { hasFeature } from "../parts/features.ts";
import { isJournalled } from "../parts/host-sources.ts";
import { ASSETS } from "../policy/host-policy.ts";
import type { HostStore } from "./host-store.ts";
import { createLazyStore } from "./lazy-store.ts";
import { waitingFiles } from "./waiting-files.ts";

export interface HostStoreOptions {
  readonly place: Place;
  /** The workspace, as a real path. */
  readonly root: string;
  readonly config: Config;
  readonly options: Pick<HostOptions, "assist" | "budget" | "notifyOfWait">;
  readonly warn: (message: string) => void;
}

/** Tools whose only act is to change one text of a source. */
const CHANGES_ONE_TEXT: ReadonlySet<string> = new Set(["file_write", "file_edit", "file_delete"]);

/** The store of a host: PostgreSQL where its packages are installed, plain files otherwise. Contract: opens nothing yet. */
export async function openHostStore(options: HostStoreOptions): Promise<HostStore> {
  const { place, root, config, warn } = options;
  const { assist, budget = config.budget, notifyOfWait } = options.options;
  const create = hasFeature("store") ? createLazyStore : (await import("./open-file-store.ts")).openFileStore;
  return create(
    {
      location: place.storeUrl === undefined ? { directory: place.stateDirectory } : { url: place.storeUrl },
      assetMount: ASSETS,
      owner: place.agent,
      workspace: root,
      journal: config.journal ?? true,
      isAnnounced: ({ tool, verdicts }) =>
        CHANGES_ONE_TEXT.has(tool) &&
        verdicts.every(
          ({ effect: { action, target } }) => action === "read" || isJournalled(mountOf(target) ?? "", config),
        ),
      ...waitingFiles(place),
      warn,
      ...(notifyOfWait !== undefined && { notify: notifyOfWait }),
      ...(budget !== undefined && { budget }),
      // Only a model can make a text shorter.
      canCompact: assist?.compact !== undefined,
    },
    warn,
  );
}
