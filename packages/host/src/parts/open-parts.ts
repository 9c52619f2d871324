import { type AnyTool, type HostServices, IkigaiError, messageOf } from "@ikigai/core";
import {
  type AnyPart,
  type Commands,
  describeIssues,
  type GuidanceFacts,
  type OpenedPart,
  type PartHost,
  type PolicyLayer,
  type SourceManager,
  type ToolRegistry,
  withHint,
} from "@ikigai/core/host";
import { assertOpenedShape, assertPartShape, namedLayer, partNameOf } from "./part-shape.ts";

/** A part that was left out, and why. */
export interface PartFailure {
  readonly part: string;
  /** The package or file that brings it. Absent: it comes with the host. */
  readonly use?: string;
  readonly error: string;
  readonly cause?: unknown;
}

/** A part and what the user says of it. */
export interface ChosenPart {
  readonly part: AnyPart;
  /** Absent: the defaults. */
  readonly options?: unknown;
  /**
   * Place of the part's options in the configuration, for messages, such as `parts.0.options`. Default: the name of the
   * part.
   */
  readonly section?: string;
  /** The package or file that brings it. Absent: it comes with the host. */
  readonly use?: string;
  /** Whether nothing is opened without it. Default false. */
  readonly isRequired?: boolean;
}

/** How one part is, and what it brings now. */
export interface PartStatus {
  readonly part: string;
  /** The package or file that brings it. Absent: it comes with the host. */
  readonly use?: string;
  /** `not_installed`: it comes with ikigai, and packages that it needs are not there. */
  readonly state: "open" | "failed" | "not_installed";
  /** Why it was left out. */
  readonly error?: string;
  /** The command that installs what is missing. Absent: nothing is. */
  readonly install?: string;
  /** Names of its tools, also of those that come and go. */
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly mounts: readonly string[];
}

export interface OpenPartsOptions {
  readonly registry: Pick<ToolRegistry, "register">;
  readonly commands: Commands;
  readonly sources: SourceManager;
  /** Host that every part is given, without the fields that differ from part to part. */
  readonly host: Omit<PartHost, "signal" | "register" | "services" | "sources">;
  /** Filled as parts open, so that whoever holds it sees what is there by then. */
  readonly services: HostServices;
  /** List that layers of open parts are added to, for a policy that reads it at each call. */
  readonly layers: PolicyLayer[];
  /** Set that names of mounts are added to which approval mode `edits` covers. */
  readonly editable: Set<string>;
  /** Parts that could not even be loaded. Default: none. */
  readonly failures?: readonly PartFailure[];
}

/** The parts that are open. */
export interface OpenParts {
  readonly names: readonly string[];
  readonly failures: readonly PartFailure[];
  /** Those that are open in the order of opening, then those that were left out. */
  status(): readonly PartStatus[];
  /** Guidance of all open parts for a model. Contract: never throws; a part that does is told of and says nothing. */
  guidance(facts: GuidanceFacts): readonly string[];
  /** Starts the work in the background. Contract: dispose to end it; a fault is told and ends that part's work only. */
  follow(): AsyncDisposable;
  /** Withdraws everything, the last opened first. */
  close(): Promise<void>;
}

/** Milliseconds that a part of somebody else may take to close, and to end its work. */
const CLOSE_WITHIN_MS = 5_000;

interface Standing {
  readonly name: string;
  readonly use?: string;
  readonly isRequired: boolean;
  readonly opened: OpenedPart;
  /** Names of the tools that it has now. */
  tools(): readonly string[];
  close(): Promise<void>;
}

/**
 * Opens parts in the order that they are given, each after what it needs.
 *
 * Contract: a part opens as a whole or not at all; one that cannot be opened is named among the failures, and the others
 * are opened. Rejects when a required one cannot be opened, and then none stays open. Whoever opens them closes them.
 */
export async function openParts(chosen: readonly ChosenPart[], options: OpenPartsOptions): Promise<OpenParts> {
  const standing: Standing[] = [];
  const failures: PartFailure[] = [...(options.failures ?? [])];
  const { warn } = options.host;
  const close = async (): Promise<void> => {
    for (const one of standing.toReversed()) await one.close();
    standing.length = 0;
  };
  const leaveOut = async ({ part, use, isRequired }: ChosenPart, error: string, cause?: unknown): Promise<void> => {
    if (isRequired === true) {
      await close();
      throw cause ?? new Error(error);
    }
    const found = { part: partNameOf(part), ...(use !== undefined && { use }), error };
    failures.push(cause === undefined ? found : { ...found, cause });
  };
  let waiting: ChosenPart[] = [];
  for (const one of chosen) {
    try {
      assertPartShape(one.part);
      waiting.push(one);
    } catch (error) {
      await leaveOut(one, describeFailure(error), error);
    }
  }
  for (let progress = true; progress && waiting.length > 0;) {
    progress = false;
    const later: ChosenPart[] = [];
    for (const one of waiting) {
      if (missingOf(one.part, options.services).length > 0) {
        later.push(one);
        continue;
      }
      progress = true;
      try {
        assertFree(one.part, standing);
        standing.push(await openOne(one, options));
      } catch (error) {
        await leaveOut(one, describeFailure(error), error);
      }
    }
    waiting = later;
  }
  for (const one of waiting) await leaveOut(one, needsMissing(one.part, options.services));
  return {
    names: standing.map(({ name }) => name),
    failures,
    status: () => [...standing.map(statusOf), ...failures.map(failedStatus)],
    guidance: (facts) => standing.flatMap((one) => guidanceOf(one, facts, warn)),
    follow: () => followAll(standing, warn),
    close,
  };
}

function describeFailure(error: unknown): string {
  return withHint(messageOf(error), IkigaiError.is(error) ? error.hint : undefined);
}

function statusOf({ name, use, opened, tools }: Standing): PartStatus {
  return {
    part: name,
    ...(use !== undefined && { use }),
    state: "open",
    tools: tools(),
    commands: (opened.commands ?? []).map((command) => command.name),
    mounts: (opened.mounts ?? []).map(({ mount }) => mount),
  };
}

function failedStatus({ part, use, error }: PartFailure): PartStatus {
  return { part, ...(use !== undefined && { use }), state: "failed", error, tools: [], commands: [], mounts: [] };
}

function guidanceOf(
  { name, opened }: Standing,
  facts: GuidanceFacts,
  warn: (message: string) => void,
): readonly string[] {
  try {
    const said = opened.guidance?.(facts)?.trim() ?? "";
    return said === "" ? [] : [said];
  } catch (error) {
    warn(`part "${name}" has no guidance: ${messageOf(error)}`);
    return [];
  }
}

/** Contract: leaves nothing behind when it rejects. */
async function openOne(
  { part, options: given, section = part.name, use, isRequired = false }: ChosenPart,
  context: OpenPartsOptions,
): Promise<Standing> {
  const checked = await checkOptions(part, given ?? {}, section);
  const undo: (() => Promise<void> | void)[] = [];
  const stopping = new AbortController();
  const { registry, commands, sources, services, layers, editable, host } = context;
  const withdraw = async (): Promise<void> => {
    stopping.abort();
    for (const step of undo.toReversed()) {
      try {
        await step();
      } catch (error) {
        host.warn(`part "${part.name}" did not close cleanly: ${messageOf(error)}`);
      }
    }
  };
  const keep = (what: Disposable): Disposable => {
    undo.push(() => what[Symbol.dispose]());
    return what;
  };
  const standingTools = new Set<AnyTool>();
  const register = (tools: readonly AnyTool[]): Disposable => {
    // One that opens too late finds its place taken away.
    if (stopping.signal.aborted) throw new IkigaiError("unavailable", `Part "${part.name}" is closed`);
    const registration = registry.register(tools);
    for (const tool of tools) standingTools.add(tool);
    return keep({
      [Symbol.dispose]() {
        for (const tool of tools) standingTools.delete(tool);
        registration[Symbol.dispose]();
      },
    });
  };
  try {
    const opened: OpenedPart = await part.open(checked, {
      ...host,
      sources,
      services,
      signal: stopping.signal,
      register,
      onTextChange: (listener) => keep(host.onTextChange(listener)),
    });
    // Closed also when what it gave is wrong.
    if (typeof (opened as OpenedPart | undefined)?.close === "function")
      undo.unshift(() => (isRequired ? opened.close?.() : endWithin(CLOSE_WITHIN_MS, async () => opened.close?.())));
    assertOpenedShape(part.name, opened);
    keep(offer(part.name, opened.services ?? {}, services));
    for (const one of opened.layers ?? []) {
      const layer = namedLayer(part.name, one, host.warn);
      layers.push(layer);
      undo.push(() => void layers.splice(layers.indexOf(layer), 1));
    }
    register(opened.tools ?? []);
    keep(commands.register(opened.commands ?? []));
    for (const { isEditable = false, ...request } of opened.mounts ?? []) {
      await sources.mount(request);
      if (isEditable) editable.add(request.mount);
      undo.push(() => {
        editable.delete(request.mount);
        return sources.unmount(request.mount);
      });
    }
    return {
      name: part.name,
      ...(use !== undefined && { use }),
      isRequired,
      opened,
      tools: () => [...standingTools].map(({ name }) => name),
      close: withdraw,
    };
  } catch (error) {
    await withdraw();
    throw error;
  }
}

/** Contract: `conflict` for a service that another part offers already, and then none is taken. */
function offer(part: string, offered: HostServices, services: HostServices): Disposable {
  const table = services as Record<string, unknown>;
  const names = Object.keys(offered);
  const taken = names.find((name) => table[name] !== undefined);
  if (taken !== undefined)
    throw new IkigaiError("conflict", `Part "${part}" offers ${taken}, which another part offers`);
  Object.assign(table, offered);
  return {
    [Symbol.dispose]: () => {
      for (const name of names) delete table[name];
    },
  };
}

function followAll(standing: readonly Standing[], warn: (message: string) => void): AsyncDisposable {
  const stop = new AbortController();
  const working = standing.flatMap(({ name, opened, isRequired }) => {
    if (opened.follow === undefined) return [];
    const work = (async () => opened.follow?.(stop.signal))().catch((error: unknown) => {
      if (!stop.signal.aborted) warn(`part "${name}" stopped its work: ${messageOf(error)}`);
    });
    return [{ name, isRequired, work }];
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(
        working.map(async ({ name, isRequired, work }) => {
          if (isRequired) return work;
          return endWithin(CLOSE_WITHIN_MS, () => work).catch((error: unknown) =>
            warn(`part "${name}" goes on working: ${messageOf(error)}`),
          );
        }),
      );
    },
  };
}

/** Contract: rejects when the time is over; what still runs is left behind. */
async function endWithin(ms: number, end: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not end within ${ms} ms and was left behind`)), ms);
  });
  await Promise.race([end(), late]).finally(() => clearTimeout(timer));
}

function missingOf({ needs = [] }: AnyPart, services: HostServices): readonly string[] {
  return needs.filter((name) => (services as Record<string, unknown>)[name] === undefined);
}

function needsMissing(part: AnyPart, services: HostServices): string {
  return `it needs ${missingOf(part, services).join(" and ")}, which no part offers here`;
}

function assertFree({ name }: AnyPart, standing: readonly Standing[]): void {
  if (standing.every((one) => one.name !== name)) return;
  throw new IkigaiError("conflict", `There is a part "${name}" already`, { hint: "Name only one of the two." });
}

async function checkOptions(part: AnyPart, given: unknown, section: string): Promise<unknown> {
  const checked = await part.options["~standard"].validate(given);
  if (checked.issues === undefined) return checked.value;
  const issues = checked.issues.map((issue) => ({ ...issue, path: [section, ...(issue.path ?? [])] }));
  throw new IkigaiError("invalid_input", describeIssues(issues), { hint: "Correct the configuration." });
}
