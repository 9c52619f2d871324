import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Actor, type Blocks, type Envelope, formatAddress, IkigaiError } from "@ikigai/core";
import {
  type ApprovalMode,
  type Approver,
  type Audit,
  type CallOptions,
  type Commands,
  createPolicy,
  createSeenVersions,
  createSourceManager,
  createToolRegistry,
  HOST_MOUNT,
  type Policy,
  type SourceManager,
  type ToolCall,
  type ToolRegistry,
  type Verdict,
  withHint,
} from "@ikigai/core/host";
import {
  type AskReconcile,
  type BlockService,
  createBlocks,
  createBlockTools,
  createCommands,
  createFileTools,
  createHistoryTools,
  createShortPlaces,
  createSlashCommandTool,
  journalledSource,
  storeCommands,
} from "@ikigai/memory";
import {
  createJsonFile,
  createProtectedLayer,
  createRedactor,
  grantFile,
  type Grants,
  openGrants,
} from "@ikigai/permission";
import { fileSource } from "@ikigai/source-file";
import { agentLayer } from "./policy/agent-layer.ts";
import { restrictTools, unknownNames } from "./policy/agent-tools.ts";
import { askPartner, orAskPartner } from "./policy/ask-partner.ts";
import type { Config } from "./configuration/config.ts";
import { openConfig } from "./configuration/effective-config.ts";
import { commandHooks } from "./policy/hooks.ts";
import {
  ASSETS,
  createHostPolicy,
  HOW_TO_REACH_HOST,
  howToAllow,
  locateUnder,
  WORKSPACE,
} from "./policy/host-policy.ts";
import { createMcpServers, type McpServers, mayBring } from "./mcp/mcp-servers.ts";
import { openToolTrust, type ToolTrustStore } from "./mcp/tool-trust.ts";
import { watchMounts, type WatchedSources } from "./mcp/watch-mounts.ts";
import { createMeantPlaces } from "./policy/meant-places.ts";
import type { MountFailure } from "./plugins/mount-configured.ts";
import { createOutputs } from "./parts/outputs.ts";
import { createPlaceFollower, leadsInside } from "./policy/effect-places.ts";
import { createOwnPlaces } from "./policy/own-places.ts";
import { type HostPlace, resolvePlace } from "./configuration/place.ts";
import { createIndexProgress } from "./parts/index-progress.ts";
import { leaveToProposal } from "./policy/leave-to-proposal.ts";
import { noteEmbedder } from "./parts/note-embedder.ts";
import type { Notes } from "./parts/notes.ts";
import { hasFeature, loadPart, whyNoTool } from "./parts/features.ts";
import { createRecallRefresh } from "./store/refresh-recall.ts";
import { createLazyStore, type LazyStore } from "./store/lazy-store.ts";
import { waitingFiles } from "./store/waiting-files.ts";
import { createStreamCursors } from "./parts/stream-cursors.ts";
import { tellOfChanges } from "./parts/tell-of-changes.ts";
import { OUTPUT_MOUNT } from "./policy/own-mounts.ts";
import { createCodeRuns, obeyedFiles } from "./trust/code-runs.ts";
import { codeUnits } from "./trust/code-unit.ts";
import type { ProjectTrust } from "./trust/project-trust.ts";

/** Who calls, when it is not the host's own agent in its own conversation. */
export interface Caller {
  readonly agent?: string;
  /** What was seen, and what may be overwritten, is kept per conversation. Default: one that the host has for itself. */
  readonly conversation?: string;
  readonly signal?: AbortSignal;
}

/** Everything that is wired together for one process. */
export interface Host extends AsyncDisposable {
  /** Calls a tool as the model does. Contract: never rejects; what needs approval asks `approve`. */
  call(call: ToolCall, caller?: Caller): Promise<Envelope>;
  /**
   * Runs a command that a person typed, such as `/undo blocks/a`.
   *
   * Contract: never rejects; what was typed counts as approved, and what a layer denies stays denied.
   */
  command(line: string, caller?: Caller): Promise<Envelope>;
  readonly config: Config;
  /** The tools as the agent of this process may use them. */
  readonly registry: ToolRegistry;
  /** Every tool there is now, also those that are withheld from the agent. */
  toolNames(): readonly string[];
  /** Runs commands that a person typed: what was typed is approved, what a layer denies stays denied. */
  readonly typed: ToolRegistry;
  readonly sources: WatchedSources;
  readonly blocks: BlockService;
  readonly commands: Commands;
  readonly store: LazyStore;
  /** Absent: not installed. */
  readonly notes: Notes | undefined;
  readonly grants: Grants;
  readonly policy: Policy;
  /** What of the fixed set a change of an address would touch, wherever links lead. */
  readonly protection: Policy;
  readonly failures: readonly MountFailure[];
  /** The MCP servers of the configuration. Contract: nothing is started before `start`. */
  readonly servers: McpServers;
  readonly toolTrust: ToolTrustStore;
  close(): Promise<void>;
}

/** What a host may use to ask a person. */
export interface ApprovalMeans {
  readonly grants: Grants;
  /** Asks the partner through the store. */
  readonly partner: Approver;
  /** Whether a rule for commands would allow a command. */
  readonly coversCommand: (rule: string, command: string) => boolean;
  /** Milliseconds a person may take. Absent: the default. */
  readonly waitMs?: number;
}

export interface HostOptions extends HostPlace {
  /** Whom to ask. Absent: nobody is there, which is no. */
  readonly approve?: Approver;
  /** Makes whom to ask from what the host has, such as its grants. Counts only without `approve`. */
  readonly createApprover?: (means: ApprovalMeans) => Approver;
  /** Asks what becomes of a block whose text changed in its source too. Absent: nothing is asked. */
  readonly reconcile?: AskReconcile;
  /** Told what went wrong where nobody waits for an answer. Absent: nobody hears it. */
  readonly warn?: (message: string) => void;
  /** Told what a person may want to know. */
  readonly note?: (message: string) => void;
  /** Told what takes a while, such as making the store, where somebody watches. */
  readonly notifyOfWait?: (message: string) => void;
  /** Called before code that is not ours is loaded into this process, such as a plugin. */
  readonly beforeImport?: () => void;
  /** Shows how far something is on a line that the next call replaces. */
  readonly showProgress?: (line?: string) => void;
  /** What commands may ask of a model, and of the person. Absent: there is no model. */
  readonly assist?: Pick<Parameters<typeof storeCommands>[0], "compact" | "confirm" | "pinsMean">;
  /** Whether paths outside the workspace can be reached at all. Default true. */
  readonly mountHost?: boolean;
  /** Why the workspace is left out. Absent: it is mounted. */
  readonly whyNoWorkspace?: string;
  /** Whether whoever calls tools can be asked what a mounted MCP server wants to know. Default false. */
  readonly passesForms?: boolean;
  /** Asked whether to trust the folder when it is not trusted as it is. Absent: it is said, and its configuration has no effect. */
  readonly trustFolder?: (project: ProjectTrust) => Promise<boolean>;
  /** Whether it lives long enough to do work that nobody waits for, such as embedding. Default false. */
  readonly background?: boolean;
}

/** Tools whose only act is to change one text of a source. */
const CHANGES_ONE_TEXT: ReadonlySet<string> = new Set(["file_write", "file_edit", "file_delete"]);

const mountOf = (target: string): string => target.slice(0, target.indexOf(":///"));

/**
 * Opens a workspace with every part that is installed.
 *
 * Contract: asks and prints only through its options; whoever opens it closes it.
 */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const place = resolvePlace(options);
  const { mode: given = "ask" } = options;
  const mode = typeof given === "function" ? given : (): ApprovalMode => given;
  const root = realpathSync(place.root);
  const { whyNoWorkspace } = options;
  const complain = options.warn ?? ((): void => {});
  const { config, trust } = await openConfig(place, complain, options.trustFolder);
  const runs = createCodeRuns({ root, stateDirectory: place.stateDirectory, ...(trust !== undefined && { trust }) });
  const shellPart = hasFeature("shell") ? await loadPart("@ikigai/shell", "shell") : undefined;
  /** A program that only looks reads through links what the tools would refuse, so a rule covers it only in here. */
  const staysInside = (command: string): boolean =>
    (shellPart?.commandPlaces(command).read ?? []).every((word) => leadsInside(root, word));
  const own = createOwnPlaces(place);
  const isOwn = (local: string, mount: string): boolean => mount !== OUTPUT_MOUNT && own.isOwn(local);
  const follower = createPlaceFollower(() => sources);
  const protectedLayer = createProtectedLayer({
    ownKind: (local) => own.kindOf(local),
    outputMount: OUTPUT_MOUNT,
    whyObeyed: await obeyedFiles(codeUnits(config, root)),
  });
  const grants = await openGrants({
    root,
    file: createJsonFile(join(place.stateDirectory, "permissions.json"), grantFile, { grants: [] }),
    matchesCommand: (rule, command) =>
      shellPart?.commandOpinion([rule], command).decision === "allow" && staysInside(command),
  });
  // Assets write their journal rows in their own transactions; what a tool said is never changed.
  const isJournalled = (mount: string): boolean =>
    mount !== ASSETS && mount !== OUTPUT_MOUNT && config.journal !== false;
  const openStore = hasFeature("store") ? createLazyStore : (await import("./store/file-store.ts")).createFileStore;
  const store = openStore(
    {
      location: place.storeUrl === undefined ? { directory: place.stateDirectory } : { url: place.storeUrl },
      assetMount: ASSETS,
      owner: place.agent,
      workspace: root,
      journal: config.journal ?? true,
      isAnnounced: ({ tool, verdicts }) =>
        CHANGES_ONE_TEXT.has(tool) &&
        verdicts.every(({ effect: { action, target } }) => action === "read" || isJournalled(mountOf(target))),
      ...waitingFiles(place),
      warn: complain,
      ...(options.notifyOfWait !== undefined && { notify: options.notifyOfWait }),
      ...(options.background === true && { background: true }),
      ...(config.recall !== undefined && { recall: config.recall }),
      ...(config.budget !== undefined && { budget: config.budget }),
      canCompact: options.assist?.compact !== undefined,
    },
    complain,
  );
  const hooks = commandHooks(config.hooks, root, runs, complain);
  const redactor = createRedactor();
  const outputs = createOutputs({
    sources: () => sources,
    stateDirectory: place.stateDirectory,
    workspace: root,
    agent: place.agent,
    redactor,
  });
  const ownerOf = (mount: string, { agent }: Pick<Actor, "agent">): string =>
    mount === ASSETS ? agent : mount === WORKSPACE ? `folder:${root}` : `mount:${mount}`;
  const layers = [
    agentLayer(config.agents ?? []),
    {
      name: "source",
      judge: (...given: Parameters<SourceManager["policyLayer"]["judge"]>) => sources.policyLayer.judge(...given),
    },
    {
      name: "block",
      judge: (...given: Parameters<SourceManager["policyLayer"]["judge"]>) => blocks.policyLayer.judge(...given),
    },
  ];
  const placesOf = shellPart?.commandPlaces;
  const coversCommand = (rule: string, command: string): boolean =>
    shellPart?.parseCommand(rule).understood === true &&
    shellPart.commandOpinion([rule], command).decision === "allow" &&
    staysInside(command);
  const policy = createHostPolicy({
    root,
    ...(placesOf !== undefined && { placesOf }),
    own,
    follower,
    protectedLayer,
    layers,
    grants,
    mode,
  });
  const common = {
    ...(hooks !== undefined && { hooks }),
    audit: store.audit satisfies Audit,
    howToAllow: (asked: readonly Verdict[]) => howToAllow(asked, mode()),
    onDefect: (error: unknown, { name }: { name: string }) => complain(`${name}: ${describeDefect(error)}`),
    keepOutput: outputs.keep,
    ...(config.max_output_size !== undefined && { maxOutputSize: config.max_output_size }),
    ...(config.timeout_ms !== undefined && { timeoutMs: config.timeout_ms }),
  };
  const waiting = config.answer_within_ms === undefined ? {} : { waitMs: config.answer_within_ms };
  const partner = askPartner({ requests: store.approvals, notify: complain, ...waiting });
  const present = options.approve ?? options.createApprover?.({ grants, partner, coversCommand, ...waiting });
  const asking = orAskPartner(present, partner);
  const approver = options.assist?.confirm === undefined ? asking : leaveToProposal(asking);
  const meant =
    whyNoWorkspace === undefined
      ? createMeantPlaces({ root: place.root, mounts: () => sources.status().map(({ mount }) => mount) })
      : undefined;
  const plain = createToolRegistry({
    ...common,
    policy,
    approver,
  });
  const registry: ToolRegistry = {
    ...plain,
    register: (tools) => plain.register(meant === undefined ? tools : tools.map((tool) => meant.guard(tool))),
  };
  const typed = createToolRegistry({
    ...common,
    policy: createHostPolicy({
      root,
      ...(placesOf !== undefined && { placesOf }),
      own,
      follower,
      protectedLayer,
      layers,
      grants,
      mode: () => (mode() === "none" ? "none" : "all"),
    }),
    approver: async () => ({ approved: true, by: "whoever typed it" }),
  });

  // The block service needs the sources, and the sources' tools need the block service.
  const commands = createCommands();
  const services: { blocks?: Blocks; commands: Commands } = { commands };
  const manager: SourceManager = createSourceManager({
    registry,
    services,
    workspace: WORKSPACE,
    locate: whyNoWorkspace === undefined ? locateUnder(place.root) : () => undefined,
    ...(meant !== undefined && { locateUri: (path: string) => meant.locateUri(path) }),
    ...(whyNoWorkspace !== undefined && { whyNoWorkspace }),
    howToReachHost: HOW_TO_REACH_HOST,
    isOwn,
    warn: (mount, message) => complain(`${mount}: ${message}`),
    cursors: createStreamCursors({
      stateDirectory: place.stateDirectory,
      root,
      agent: place.agent,
      isKept: (mount) => config.sources?.some((source) => source.mount === mount) ?? false,
    }),
    decorate(plain, mount) {
      // The index of notes hears of what tools and commands change, such as an undo.
      const source = tellOfChanges(plain, (path) => notes?.index.touch(formatAddress({ mount, path })));
      if (!isJournalled(mount)) return source;
      return journalledSource(source, {
        mount,
        owner: ownerOf(mount, { agent: place.agent }),
        journal: async () => store.journal,
        warn: complain,
      });
    },
  });
  const sources = watchMounts(manager);
  const blocks = createBlocks({
    sources,
    store: store.blocks,
    guard: store.guard,
    warn: complain,
    ...(config.watch === "merge" && { whenStale: "merge" }),
    ...(options.reconcile !== undefined && { ask: options.reconcile }),
  });
  services.blocks = blocks;
  const { pins, journal } = store;
  const assets: LazyStore["assetIndex"] = {
    ...store.assetIndex,
    async change(path, ...given) {
      await store.assetIndex.change(path, ...given);
      notes?.index.touch(formatAddress({ mount: ASSETS, path }));
    },
  };
  const commandContext = { sources, blocks, assetMount: ASSETS, pins, assets, journal, ownerOf, ...options.assist };
  commands.register(storeCommands(commandContext));
  const slash = createSlashCommandTool(commands);
  const { shorten } = createShortPlaces({
    sources,
    assetMount: ASSETS,
    workspace: WORKSPACE,
    isLabel: async (text, { agent }) => (await store.blocks.find(agent, text)).length > 0,
  });
  const seen = createSeenVersions();
  registry.register(
    [
      ...createFileTools({ sources, seen }),
      ...createBlockTools({ blocks, sources }),
      ...createHistoryTools(commandContext),
      slash,
    ].map(shorten),
  );
  typed.register([slash]);
  const hasRecall = hasFeature("recall");
  const embedder =
    hasRecall && config.recall?.embedder
      ? noteEmbedder(config.recall.embedder, await loadPart("@ikigai/recall", "recall"))
      : undefined;
  const notes = hasFeature("notes")
    ? (await import("./parts/notes.ts")).openNotes(sources, store, place.agent, {
        seen,
        ...(whyNoWorkspace !== undefined && { home: ASSETS }),
        ...(embedder && { embedder }),
        ...(config.notes?.exclude && { exclude: config.notes.exclude }),
        ...(options.showProgress && {
          onProgress: createIndexProgress(options.showProgress),
          onEmbedProgress: createIndexProgress(options.showProgress, "Embedding notes"),
        }),
        warn: complain,
      })
    : undefined;
  if (hasRecall) {
    const { createRecallTool } = await loadPart("@ikigai/recall/tool", "recall");
    const refresh = createRecallRefresh(async () => {
      if (!(await store.exists())) return undefined;
      const { recall, assets: stored, conversations } = await store.open();
      return { recall, assets: stored, blockStore: store.blocks, blocks, conversations };
    });
    registry.register([createRecallTool(store.recall, { refresh })]);
  }
  if (notes !== undefined) registry.register(notes.tools.map(shorten));
  const shell =
    shellPart &&
    (await import("./parts/shell.ts")).openShell({
      root,
      registry,
      sources,
      shorten,
      blocks,
      own: { isOwn, folders: () => own.folders() },
      outputFolder: outputs.folderOf,
      redactor,
      warn: complain,
    });
  if (whyNoWorkspace === undefined) {
    await sources.mount({
      mount: WORKSPACE,
      source: fileSource,
      options: { root: place.root, rules: config.rules },
    });
  }
  await sources.mount({ mount: ASSETS, source: store.assetSource, options: { owner: place.agent } });
  if (options.mountHost ?? true) {
    await sources.mount({ mount: HOST_MOUNT, source: fileSource, options: { root: "/" }, permission: "read_only" });
  }
  await shell?.mount();
  await outputs.open();
  const loading = options.beforeImport === undefined ? {} : { beforeImport: options.beforeImport };
  const failures =
    config.sources === undefined
      ? []
      : await (
          await import("./plugins/mount-configured.ts")
        ).mountConfigured(sources, config.sources, root, loading, runs);
  for (const { mount, error } of failures) complain(`source "${mount}" was left out: ${error}`);

  const toolTrust = openToolTrust(join(place.stateDirectory, "mcp-tools.json"));
  const servers = createMcpServers({
    config: config.mcp ?? {},
    root,
    registry,
    sources,
    trust: toolTrust,
    runs,
    keep: outputs.keepPart,
    passesForms: options.passesForms ?? false,
    warn: complain,
  });
  const agent = config.agents?.find(({ name }) => name === place.agent);
  const mayCome = (tool: string): boolean =>
    mayBring(Object.keys(config.mcp?.servers ?? {}), tool) || whyNoTool(tool) !== undefined;
  for (const warning of agent === undefined ? [] : unknownNames(agent, registry, mayCome)) complain(warning);

  const restricted = restrictTools(registry, agent);
  const conversation = randomUUID();
  const callerOf = (caller: Caller): CallOptions => ({ agent: place.agent, conversation, ...caller });
  const close = async (): Promise<void> => {
    await servers.close();
    await shell?.close();
    await sources.close();
    await store.close();
    runs[Symbol.dispose]();
  };
  return {
    config,
    call: (call, caller = {}) => restricted.call(call, callerOf(caller)),
    command: (line, caller = {}) => typed.call({ name: slash.name, arguments: { command: line } }, callerOf(caller)),
    registry: restricted,
    toolNames: () => registry.snapshot().cards.map(({ name }) => name),
    typed,
    sources,
    blocks,
    commands,
    store,
    notes,
    grants,
    policy,
    protection: createPolicy({
      layers: [protectedLayer],
      follow: (effect) => follower.follow(effect),
      mode: () => "all",
    }),
    failures,
    servers,
    toolTrust,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Our own faults with their stack; what the user can mend in a sentence. */
function describeDefect(error: unknown): string {
  if (IkigaiError.is(error)) return withHint(error.message, error.hint);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Contract: throws when the envelope is a failure, so that a command of the shell can say what went wrong. */
export function dataOf(envelope: Envelope): unknown {
  if (envelope.success) return envelope.data;
  throw new IkigaiError(envelope.code, envelope.error);
}
