import { IkigaiError, messageOf } from "@ikigai/core";
import {
  type AnyPart,
  type Commands,
  describeIssues,
  type GuidanceFacts,
  type OpenedPart,
  PART_CONTRACT,
  type PartHost,
  type PolicyLayer,
  type SourceManager,
  type ToolRegistry,
  withHint,
} from "@ikigai/core/host";
import type { HostServices } from "@ikigai/core";

/** A part that was left out, and why. */
export interface PartFailure {
  readonly part: string;
  readonly error: string;
  readonly cause?: unknown;
}

/** A part and what the user says of it. */
export interface ChosenPart {
  readonly part: AnyPart;
  /** Absent: the defaults. */
  readonly options?: unknown;
  /**
   * Section of the configuration with the part's options, for messages, such as `recall`. Default: the name of the
   * part.
   */
  readonly section?: string;
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
}

/** The parts that are open. */
export interface OpenParts {
  readonly names: readonly string[];
  readonly failures: readonly PartFailure[];
  /** Guidance of all open parts for a model. */
  guidance(facts: GuidanceFacts): readonly string[];
  /** Starts the work in the background. Contract: dispose to end it; a fault is told and ends that part's work only. */
  follow(): AsyncDisposable;
  /** Withdraws everything, the last opened first. */
  close(): Promise<void>;
}

interface Standing {
  readonly name: string;
  readonly opened: OpenedPart;
  close(): Promise<void>;
}

/**
 * Opens parts in the order that they are given, each after what it needs.
 *
 * Contract: a part opens as a whole or not at all; one that cannot be opened is named among the failures, and the others
 * are opened. Whoever opens them closes them.
 */
export async function openParts(chosen: readonly ChosenPart[], options: OpenPartsOptions): Promise<OpenParts> {
  const standing: Standing[] = [];
  const failures: PartFailure[] = [];
  let waiting = [...chosen];
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
        failures.push({
          part: one.part.name,
          error: withHint(messageOf(error), IkigaiError.is(error) ? error.hint : undefined),
          cause: error,
        });
      }
    }
    waiting = later;
  }
  for (const { part } of waiting) failures.push({ part: part.name, error: needsMissing(part, options.services) });
  return {
    names: standing.map(({ name }) => name),
    failures,
    guidance: (facts) => standing.flatMap(({ opened }) => opened.guidance?.(facts) ?? []),
    follow: () => followAll(standing, options.host.warn),
    async close() {
      for (const one of standing.toReversed()) await one.close();
      standing.length = 0;
    },
  };
}

/** Contract: leaves nothing behind when it rejects. */
async function openOne(
  { part, options: given, section = part.name }: ChosenPart,
  context: OpenPartsOptions,
): Promise<Standing> {
  assertContract(part);
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
  try {
    const opened = await part.open(checked, {
      ...host,
      sources,
      services,
      signal: stopping.signal,
      register: (tools) => keep(registry.register(tools)),
      onTextChange: (listener) => keep(host.onTextChange(listener)),
    });
    if (opened.close !== undefined) undo.unshift(() => opened.close?.());
    keep(offer(part.name, opened.services ?? {}, services));
    for (const layer of opened.layers ?? []) {
      layers.push(layer);
      undo.push(() => void layers.splice(layers.indexOf(layer), 1));
    }
    keep(registry.register(opened.tools ?? []));
    keep(commands.register(opened.commands ?? []));
    for (const { isEditable = false, ...request } of opened.mounts ?? []) {
      await sources.mount(request);
      if (isEditable) editable.add(request.mount);
      undo.push(() => {
        editable.delete(request.mount);
        return sources.unmount(request.mount);
      });
    }
    return { name: part.name, opened, close: withdraw };
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
  const working = standing.flatMap(({ name, opened }) => {
    if (opened.follow === undefined) return [];
    return [
      opened.follow(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) warn(`part "${name}" stopped its work: ${messageOf(error)}`);
      }),
    ];
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(working);
    },
  };
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

function assertContract({ name, contract, kind }: AnyPart): void {
  if (contract === PART_CONTRACT && kind === "part") return;
  throw new IkigaiError(
    "unsupported",
    `Part "${name}" speaks contract ${String(contract)}, this host ${PART_CONTRACT}`,
    {
      hint: "Install versions of the part and of @ikigai/core that belong together.",
    },
  );
}

async function checkOptions(part: AnyPart, given: unknown, section: string): Promise<unknown> {
  const checked = await part.options["~standard"].validate(given);
  if (checked.issues === undefined) return checked.value;
  const issues = checked.issues.map((issue) => ({ ...issue, path: [section, ...(issue.path ?? [])] }));
  throw new IkigaiError("invalid_input", describeIssues(issues), { hint: "Correct the configuration." });
}
