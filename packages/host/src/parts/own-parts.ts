import type { HostServices } from "@ikigai/core";
import type { PartHost, ToolRegistry } from "@ikigai/core/host";
import type { Redactor } from "@ikigai/permission";
import type { Config } from "../configuration/config.ts";
import type { Place } from "../place/place.ts";
import type { HostOptions } from "../host.ts";
import type { WatchedSources } from "../mcp/watch-mounts.ts";
import type { Judgement } from "../policy/create-judgement.ts";
import type { HostStore } from "../store/host-store.ts";
import type { CodeRuns } from "../trust/code-runs.ts";
import { hasFeature } from "./features.ts";
import { historyOwner } from "./host-sources.ts";
import { createMemoryPart } from "./memory-part.ts";
import { createNotesPart } from "./notes-part.ts";
import { type ChosenPart, type OpenParts, openParts, type OpenPartsOptions } from "./open-parts.ts";
import type { Outputs } from "./outputs.ts";
import { createOutputsPart } from "./outputs-part.ts";
import { recallPart } from "./recall-part.ts";
import { createServersPart } from "./servers-part.ts";
import { createShellPart } from "./shell-part.ts";
import { createWorkspacePart } from "./workspace-part.ts";

export interface OwnPartsOptions {
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
  readonly redactor: Redactor;
  readonly judgement: Judgement;
  readonly runs: CodeRuns;
  readonly host: Pick<PartHost, "seen" | "shorten" | "onTextChange" | "warn">;
  /** Called with the address of a text that was changed by another way than its source. */
  readonly changed: (address: string) => void;
}

/**
 * Opens the parts that come with ikigai, as far as their packages are installed.
 *
 * Contract: rejects when one of them cannot be opened, and then none stays open.
 */
export async function openOwnParts(given: OwnPartsOptions): Promise<OpenParts> {
  const { place, registry, commands, sources, services, judgement, options, host } = given;
  const { agent, stateDirectory } = place;
  const hasWorkspace = options.whyNoWorkspace === undefined;
  const parts = await openParts(chosenParts(given), {
    registry,
    commands,
    sources,
    services,
    layers: judgement.layers,
    editable: judgement.editable,
    host: { ...host, agent, stateDirectory, ...(hasWorkspace && { root: given.root }) },
  });
  const [failure] = parts.failures;
  if (failure === undefined) return parts;
  await parts.close();
  throw failure.cause ?? new Error(failure.error);
}

/** Our own parts, in the order in which their mounts are listed and their tools are shown. */
function chosenParts(given: OwnPartsOptions): readonly ChosenPart[] {
  const { place, root, config, options, commands, store, outputs, redactor, judgement, runs, changed } = given;
  const { isOwn, own } = judgement;
  const embedder = config.recall?.embedder;
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
    ...(hasFeature("recall") ? [{ part: recallPart }] : []),
    ...(hasFeature("notes")
      ? [
          {
            part: createNotesPart({
              ...(embedder && { embedder, runs }),
              ...(options.showProgress && { showProgress: options.showProgress }),
            }),
            options: config.notes ?? {},
          },
        ]
      : []),
    {
      part: createWorkspacePart({
        rules: config.rules,
        mountHost: options.mountHost ?? true,
        ...(options.whyNoWorkspace === undefined && { folder: place.root }),
      }),
    },
    { part: createOutputsPart(outputs) },
    ...(hasFeature("shell")
      ? [{ part: createShellPart({ root, own: { isOwn, folders: () => own.folders() }, redactor }) }]
      : []),
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
