import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Effect, HostServices } from "@ikigai/core";
import {
  type AnyPart,
  createPolicy,
  createSeenVersions,
  createSourceManager,
  createToolRegistry,
  type OpenedPart,
  type PartMount,
  type PolicyLayer,
  type SourceManager,
  type ToolRegistry,
} from "@ikigai/core/host";
import { memorySource, recordingSource } from "@ikigai/core/testing";
import { createCommands } from "@ikigai/memory";
import { type ChosenPart, type OpenParts, openParts, type PartFailure } from "../parts/open-parts.ts";
import { assertNoOwnNames } from "../parts/own-names.ts";

type Recorder = Pick<ReturnType<typeof recordingSource>, "take">;

/** What a bench is made from. */
export interface BenchOptions {
  readonly part: AnyPart;
  readonly options?: () => unknown;
  readonly services?: () => HostServices;
  /** Texts that are in the workspace when a case begins. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** What a case works with: a host with nothing in it but a workspace in memory. */
export interface Bench {
  readonly registry: ToolRegistry;
  readonly sources: SourceManager;
  readonly commands: ReturnType<typeof createCommands>;
  readonly services: HostServices;
  readonly layers: PolicyLayer[];
  readonly warnings: string[];
  /** What is done to the workspace and to the part's own mounts, by mount. */
  readonly recorders: ReadonlyMap<string, Recorder>;
  /** Takes the effects that the policy was asked about so far. */
  takeJudged(): readonly Effect[];
  /** What the part gave when it was opened last. */
  given(): OpenedPart;
  open(options?: unknown): Promise<OpenParts>;
  openChosen(chosen: ChosenPart): Promise<OpenParts>;
}

export const WORKSPACE = "file";

export async function withBench(suite: BenchOptions, run: (bench: Bench) => Promise<void>): Promise<void> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "ikigai-part-"));
  const layers: PolicyLayer[] = [];
  const judged: Effect[] = [];
  const listening: PolicyLayer = { name: "suite", judge: (effect) => void judged.push(effect) };
  const services: HostServices = suite.services?.() ?? {};
  const warnings: string[] = [];
  const registry = createToolRegistry({
    policy: createPolicy({ layers: () => [listening, ...layers], mode: () => "all" }),
  });
  const sources = createSourceManager({ registry, services });
  const commands = createCommands();
  const workspace = recordingSource(memorySource);
  const recorders = new Map<string, Recorder>([[WORKSPACE, workspace]]);
  await sources.mount({ mount: WORKSPACE, source: workspace.definition });
  const { source } = sources.routePrefix(`${WORKSPACE}:///`);
  for (const [path, text] of Object.entries(suite.texts ?? {})) await source.write?.(path, text, { expected: null });
  const host = {
    agent: "default",
    stateDirectory,
    seen: createSeenVersions(),
    onTextChange: () => ({ [Symbol.dispose]: () => {} }),
    shorten: <T>(tool: T): T => tool,
    warn: (message: string) => void warnings.push(message),
  };
  let given: OpenedPart = {};
  const openChosen = ({ part, ...chosen }: ChosenPart): Promise<OpenParts> =>
    openParts([{ ...chosen, part: watchedPart(part, recorders, (opened) => void (given = opened)) }], {
      registry,
      commands,
      sources,
      services,
      layers,
      editable: new Set(),
      host,
    });
  const open = (options: unknown = suite.options?.()): Promise<OpenParts> => openChosen({ part: suite.part, options });
  const common = { registry, sources, commands, services, layers, warnings, recorders };
  try {
    await run({ ...common, takeJudged: () => judged.splice(0), given: () => given, open, openChosen });
  } finally {
    await sources.close();
    await rm(stateDirectory, { recursive: true, force: true });
  }
}

/** Opens a part in a host of its own and closes it again. Contract: gives why it was left out; empty when it was not. */
export async function openAlone(chosen: ChosenPart): Promise<readonly PartFailure[]> {
  let failures: readonly PartFailure[] = [];
  await withBench({ part: chosen.part }, async ({ openChosen }) => {
    const opened = await openChosen(chosen);
    failures = opened.failures;
    const [status] = opened.status();
    await opened.close();
    if (status?.state === "open") assertNoOwnNames(status);
  });
  return failures;
}

/** The part, with what is done to its mounts written down. */
function watchedPart(part: AnyPart, recorders: Map<string, Recorder>, tell: (opened: OpenedPart) => void): AnyPart {
  return {
    ...part,
    async open(options, host) {
      const opened = await part.open(options, host);
      const mounts: unknown = (opened as OpenedPart | undefined)?.mounts;
      if (typeof opened === "object" && opened !== null) tell(opened);
      if (!Array.isArray(mounts)) return opened;
      const { guidance, follow, close } = opened;
      return {
        ...opened,
        mounts: (mounts as readonly PartMount[]).map((mount) => recorded(mount, recorders)),
        // Called on what the part gave, which may keep something there.
        ...(typeof guidance === "function" && { guidance: (facts) => guidance.call(opened, facts) }),
        ...(typeof follow === "function" && { follow: (signal: AbortSignal) => follow.call(opened, signal) }),
        ...(typeof close === "function" && { close: () => close.call(opened) }),
      };
    },
  };
}

function recorded(mount: PartMount, recorders: Map<string, Recorder>): PartMount {
  const source = (mount as PartMount | undefined)?.source;
  if (source?.kind !== "block" || typeof source.open !== "function") return mount;
  const recording = recordingSource(source);
  recorders.set(mount.mount, recording);
  return { ...mount, source: recording.definition };
}
