import type { HostServices } from "@ikigai/core";
import type { PartHost, ToolRegistry } from "@ikigai/core/host";
import type { Config, PartConfig } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import type { HostOptions } from "../host.ts";
import type { WatchedSources } from "../mcp/watch-mounts.ts";
import type { Judgement } from "../policy/create-judgement.ts";
import type { HostStore } from "../store/host-store.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import type { LoadedParts, LoadPartsOptions } from "./given-parts.ts";
import { historyOwner } from "./host-sources.ts";
import { createMemoryPart } from "./memory-part.ts";
import { withMissingParts } from "./missing-parts.ts";
import { type ChosenPart, type OpenParts, openParts, type OpenPartsOptions } from "./open-parts.ts";
import type { Outputs } from "./outputs/outputs.ts";
import { createOutputsPart } from "./outputs/outputs-part.ts";
import { createServersPart } from "./servers-part.ts";
import { packagedParts } from "./packaged-parts.ts";
import { createWorkspacePart } from "./workspace-part.ts";

export interface HostPartsOptions {
  readonly place: Place;
  /** The workspace, as a real path. */
  readonly root: string;
  readonly config: Config;
  readonly options: HostOptions;
  readonly registry: ToolRegistry;
  readonly commands: OpenPartsOptions["commands"];
  readonly sources: WatchedSources;
  readonly services: HostServices;
  readonly store: HostStore;
  readonly outputs: Outputs;
  readonly judgement: Judgement;
  readonly runs: CodeRuns;
  readonly host: Pick<PartHost, "seen" | "shorten" | "onTextChange" | "warn">;
  /** Called with the address of a text that was changed by another way than its source. */
  readonly changed: (address: string) => void;
}

/**
 * Opens the parts that come with ikigai, as far as their packages are installed, then those that the application brings and
 * those that the configuration names.
 *
 * Contract: rejects when one that comes with ikigai cannot be opened, and then none stays open. One of somebody else that
 * cannot is left out, and `warn` says so.
 */
export async function openHostParts(given: HostPartsOptions): Promise<OpenParts> {
  const { place, root, config, registry, commands, sources, services, judgement, options, runs, host } = given;
  const { agent, stateDirectory } = place;
  const { showProgress } = options;
  const hasWorkspace = options.whyNoWorkspace === undefined;
  const named = await configuredParts(config.parts ?? [], { root, runs, ...beforeImportOf(options) });
  const brought = await broughtParts(options);
  const own = (await ownParts(given)).map((one) => ({ ...one, isRequired: true }));
  const parts = await openParts([...own, ...brought.chosen, ...named.chosen], {
    registry,
    commands,
    sources,
    services,
    layers: judgement.layers,
    editable: judgement.editable,
    host: { ...host, agent, stateDirectory, ...(hasWorkspace && { root }), ...(showProgress && { showProgress }) },
    failures: [...brought.failures, ...named.failures],
  });
  for (const { use, part, error } of parts.failures) host.warn(`part "${use ?? part}" was left out: ${error}`);
  return { ...parts, status: () => withMissingParts(parts.status()) };
}

function beforeImportOf({ beforeImport }: HostOptions): Pick<LoadPartsOptions, "beforeImport"> {
  return beforeImport === undefined ? {} : { beforeImport };
}

/** Contract: loads nothing when the application brings nothing. */
async function broughtParts({ parts, openWithinMs }: HostOptions): Promise<LoadedParts> {
  if (parts === undefined) return { chosen: [], failures: [] };
  const { givenParts } = await import("./given-parts.ts");
  return givenParts(parts, openWithinMs);
}

/** Contract: loads nothing when the configuration names nothing. */
async function configuredParts(configured: readonly PartConfig[], options: LoadPartsOptions): Promise<LoadedParts> {
  if (configured.length === 0) return { chosen: [], failures: [] };
  const { loadConfiguredParts: load } = await import("./given-parts.ts");
  return load(configured, options);
}

/** Our own parts, in the order in which their mounts are listed and their tools are shown. */
async function ownParts(given: HostPartsOptions): Promise<readonly ChosenPart[]> {
  const { place, root, config, options, commands, store, outputs, runs, changed } = given;
  return [
    {
      part: createMemoryPart({
        store,
        commands,
        ownerOf: historyOwner(root),
        assist: options.assist ?? {},
        mergesStale: config.watch === "merge",
        changed,
        ...(options.reconcile !== undefined && { reconcile: options.reconcile }),
      }),
    },
    // Those that need what comes below are opened after it.
    ...(await packagedParts(config)),
    {
      part: createWorkspacePart({
        rules: config.rules,
        mountHost: options.mountHost ?? true,
        ...(options.whyNoWorkspace === undefined && { folder: place.root }),
      }),
    },
    { part: createOutputsPart(outputs) },
    {
      part: createServersPart({
        config: config.mcp ?? {},
        root,
        runs,
        passesForms: options.passesForms ?? false,
      }),
    },
  ];
}
