import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import type { HostServices } from "@ikigai/core";
import { type ApprovalMode, type CallOptions, createSeenVersions } from "@ikigai/core/host";
import { createCommands, createShortPlaces, createSlashCommandTool } from "@ikigai/memory";
import { createRedactor } from "@ikigai/permission";
import { saveTraces } from "@ikigai/source-file";
import { checkOptions } from "./check-options.ts";
import { openConfig } from "./configuration/effective-config.ts";
import { resolvePlace } from "./place/place.ts";
import type { Caller, Host, HostOptions } from "./host.ts";
import { requireFeature } from "./parts/features.ts";
import { createTextChanges } from "./parts/changes/text-changes.ts";
import { createHostSources } from "./parts/host-sources.ts";
import { openHostParts } from "./parts/own-parts.ts";
import { createOutputs } from "./parts/outputs/outputs.ts";
import { mountAllConfigured } from "./plugins/mount-all-configured.ts";
import { agentRegistry } from "./policy/agent-registry.ts";
import { createJudgement } from "./policy/create-judgement.ts";
import { ASSETS, WORKSPACE } from "./policy/host-policy.ts";
import { createHostRegistries } from "./policy/host-registries.ts";
import { createMeantPlaces } from "./policy/meant-places.ts";
import { openHostStore } from "./store/open-host-store.ts";
import { createCodeRuns } from "./trust/code-runs.ts";
import { judgeEmbedder } from "./trust/judge-embedder.ts";

const ignore = (): void => {};

/**
 * Opens a workspace with every part that is installed.
 *
 * Contract: asks and prints only through its options; whoever opens it closes it.
 */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  checkOptions(options);
  const { mode: given = "ask", whyNoWorkspace, warn = ignore } = options;
  const mode = typeof given === "function" ? given : (): ApprovalMode => given;
  const place = resolvePlace(options);
  if (place.storeUrl !== undefined) requireFeature("store");
  const root = realpathSync(place.root);
  const { agent, stateDirectory } = place;
  const { config, trust } = await openConfig(place, warn, options.trustFolder);
  const runs = createCodeRuns({ root, stateDirectory, ...(trust !== undefined && { trust }) });
  const here = { place, root, config, runs, options, whyNoWorkspace, warn };

  const judgement = await createJudgement({ ...here, sources: () => sources, services: () => services });
  const store = await openHostStore(here);
  const redactor = createRedactor();
  const outputs = createOutputs({ sources: () => sources, stateDirectory, workspace: root, agent, redactor });
  const mounts = (): readonly string[] => sources.status().map(({ mount }) => mount);
  const meant = whyNoWorkspace === undefined ? createMeantPlaces({ root: place.root, mounts }) : undefined;
  const { registry, typed } = createHostRegistries({ ...here, judgement, mode, store, outputs, meant });

  const commands = createCommands();
  const ownFiles = { isOwn: judgement.isOwn, folders: () => judgement.own.folders() };
  const services: HostServices = {
    commands,
    folder: root,
    ownFiles,
    saves: saveTraces,
    ...judgeEmbedder(config, runs),
  };
  const { changed, onTextChange } = createTextChanges();
  const sources = createHostSources({ ...here, registry, services, store, meant, judgement, changed });
  const { shorten } = createShortPlaces({
    sources,
    assetMount: ASSETS,
    workspace: WORKSPACE,
    isLabel: async (text, actor) => (await store.blocks.find(actor.agent, text)).length > 0,
  });
  const host = { seen: createSeenVersions(), shorten, onTextChange, warn };
  const stored = { store, outputs, judgement, changed };
  const parts = await openHostParts({ ...here, ...stored, registry, commands, sources, services, host });
  const slash = createSlashCommandTool(commands);
  typed.register([slash]);
  const failures = await mountAllConfigured(sources, here);
  const following = options.background === true ? parts.follow() : undefined;

  const restricted = agentRegistry(registry, here);
  const conversation = randomUUID();
  const callerOf = (caller: Caller): CallOptions => ({ agent, conversation, ...caller });
  let closed: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.all([registry.close(), typed.close()]);
    await following?.[Symbol.asyncDispose]();
    await parts.close();
    await sources.close();
    await store.close();
    runs[Symbol.dispose]();
  };
  const close = (): Promise<void> => (closed ??= closeAll());
  const { blockService, servers, toolTrust } = services;
  if (blockService === undefined || servers === undefined || toolTrust === undefined)
    throw new Error("a part is missing");
  return {
    config,
    call: (call, caller = {}) => restricted.call(call, callerOf(caller)),
    command: (line, caller = {}) => typed.call({ name: slash.name, arguments: { command: line } }, callerOf(caller)),
    registry: restricted,
    toolNames: () => registry.snapshot().cards.map(({ name }) => name),
    typed,
    sources,
    blocks: blockService,
    commands,
    store,
    services,
    grants: judgement.grants,
    policy: judgement.policyFor(mode),
    protection: judgement.protection,
    failures,
    parts: () => parts.status(),
    guidance: (tools) => parts.guidance({ tools, mounts: sources.status() }),
    servers,
    toolTrust,
    runs,
    close,
    [Symbol.asyncDispose]: close,
  };
}
