import { type Address, assertMountName, formatAddress, HOST_MOUNT, parseAddress, parsePrefix } from "../address.ts";
import { answersWithin } from "./answers-within.ts";
import { IkigaiError, messageOf } from "../errors.ts";
import { type MountedSource, openSource } from "./open-source.ts";
import { lowerPermission, type MemoryPermission, permissionOpinion } from "../policy/permission.ts";
import type { Effect, Opinion, PolicyLayer } from "../policy/policy.ts";
import type { HostServices } from "../services.ts";
import type { AnySourceDefinition, TextCapability, TextFeatures, TextReader, StreamEvent } from "./source.ts";
import type { StreamCursors } from "./stream-place.ts";
import type { PulledEvents, PullOptions, StreamPump, StreamState } from "./stream-pump.ts";
import type { ToolRegistry } from "../tool/tool-registry.ts";

export interface MountRequest {
  /** The name, which is the scheme of its addresses. */
  readonly mount: string;
  readonly source: AnySourceDefinition;
  readonly options?: unknown;
  /** A ceiling on the whole mount, on top of what the source itself says. */
  readonly permission?: MemoryPermission;
}

export interface SourceStatus {
  readonly mount: string;
  readonly name: string;
  readonly kind: "block" | "stream";
  readonly capabilities: readonly string[];
  readonly tools: readonly string[];
  /** The ceiling on what may be changed in the mount. */
  readonly permission: MemoryPermission;
  readonly state: "mounted" | StreamState;
  readonly guidance?: string;
  /** Cursor of the newest event that was read from a stream. */
  readonly cursor?: string;
  /** Cursor of the stream's last event that was used; the next host goes on behind it. */
  readonly taken?: string;
  readonly error?: string;
}

/** A source of text and a path in it, ready to be used. */
export interface Route {
  readonly address: Address;
  /** The address as text, the same for every spelling. */
  readonly uri: string;
  readonly source: TextReader & Partial<TextFeatures>;
  /** How far the path is open: what the source says, under the mount's ceiling. */
  readonly permission: MemoryPermission;
}

export interface StreamNotice {
  readonly mount: string;
  readonly event: StreamEvent;
}

export interface SourceManager {
  /** Opens a source and registers its tools. Contract: all or nothing; on failure nothing stays open. */
  mount(request: MountRequest): Promise<void>;
  /** Withdraws the source's tools and only them, stops it and closes it. */
  unmount(mount: string): Promise<void>;
  /** Unmounts everything, last mounted first. */
  close(): Promise<void>;
  /** The source of text that holds `text`, a path or an address. */
  route(text: string): Route;
  /** Like `route`, also for a folder or a whole mount. */
  routePrefix(text: string): Route;
  /**
   * The texts of a mount, for who asks many mounts and cannot wait for one that never answers.
   *
   * Contract: a text, or the next entry of a list, that takes longer than `waitMs` is `timeout`.
   */
  readerWithin(mount: string, waitMs: number): Pick<TextReader, "list" | "read">;
  /** Contract: one status per mount in the order of mounting; throws `not_found` for an unknown name. */
  status(mount?: string): readonly SourceStatus[];
  pause(mount: string): void;
  resume(mount: string): void;
  pull(mount: string, options?: PullOptions): PulledEvents;
  /**
   * Says that the events of a stream up to `cursor` were used, so that the next host goes on behind them.
   *
   * Contract: an event that nobody took comes again from a stream that can replay; never throws for a place that cannot
   * be kept.
   */
  taken(mount: string, cursor: string): void;
  /** Hears the events of every stream that is not paused. A listener that throws is warned about. */
  onEvent(listener: (notice: StreamNotice) => void): Disposable;
  /** What the sources and mounts allow, as a layer of the policy. */
  readonly policyLayer: PolicyLayer;
}

export interface SourceManagerOptions {
  /** Registry that the sources' tools are registered with. Absent: sources are mounted without their tools. */
  readonly registry?: ToolRegistry;
  readonly services?: HostServices;
  /** The mount of bare paths. Default `file`. */
  readonly workspace?: string;
  /** Why nothing is mounted as the workspace, told to whoever names a bare path. Default: only that nothing is. */
  readonly whyNoWorkspace?: string;
  /** Where an absolute path of the machine lies inside a mount, if it does. */
  readonly locate?: (absolute: string) => Address | undefined;
  /**
   * What `file:///PATH` means, an address of the workspace whose PATH may be an absolute path of the machine, as it is in
   * the URI of a file. Default: PATH in the workspace. It may refuse with `ambiguous`.
   */
  readonly locateUri?: (path: string) => Address | undefined;
  /** What to tell whoever names a path of the machine that no mount holds. Default: to ask the user to mount the host. */
  readonly howToReachHost?: string;
  /** Puts something around each source of text, such as a journal. Its own tools change text through it too. */
  readonly decorate?: (source: Route["source"], mount: string) => Route["source"];
  /** Whether a file of this machine is the host's own and not to be served by `mount`. Default: nothing is. */
  readonly isOwn?: (absolute: string, mount: string) => boolean;
  /** Receives warnings for the operator. Default: they are dropped. */
  readonly warn?: (mount: string, message: string) => void;
  /** How many events are kept of each stream. Default 1,000. */
  readonly keepEvents?: number;
  /** Where it is kept how far streams were read. Default: nowhere, and each host begins anew. */
  readonly cursors?: StreamCursors;
}

const DEFAULT_WORKSPACE = "file";
const KEEP_EVENTS = 1_000;

export function createSourceManager(options: SourceManagerOptions = {}): SourceManager {
  const mounts = new Map<string, MountedSource>();
  const opening = new Set<string>();
  const listeners = new Set<{ readonly hear: (notice: StreamNotice) => void }>();
  let closings = 0;
  const workspace = options.workspace ?? DEFAULT_WORKSPACE;

  function find(mount: string): MountedSource {
    const found = mounts.get(mount);
    if (found !== undefined) return found;
    throw notMounted(mount, mounts, mount === workspace ? options.whyNoWorkspace : undefined);
  }

  function findStream(mount: string): StreamPump {
    const { pump } = find(mount);
    if (pump !== undefined) return pump;
    throw new IkigaiError("unsupported", `"${mount}" holds text and sends no events, so it is always ready`, {
      hint: "Pause and resume only streams.",
    });
  }

  const routeTo = (parsed: Address, text: string): Route => {
    const address = meantAddress(parsed, text, { ...options, workspace });
    if (address.mount === HOST_MOUNT && !mounts.has(HOST_MOUNT))
      throw outsideWorkspace(address.path, options.howToReachHost);
    return routeIn(find(address.mount), address);
  };

  return {
    async mount(request) {
      assertMountName(request.mount);
      if (mounts.has(request.mount) || opening.has(request.mount)) {
        throw new IkigaiError("conflict", `"${request.mount}" is already mounted`, { hint: "Unmount it first." });
      }
      opening.add(request.mount);
      const closingsBefore = closings;
      try {
        const mounted = await openSource(request, openingOptions(request.mount, options, listeners));
        if (closings !== closingsBefore) {
          await mounted.close();
          throw new IkigaiError("aborted", `Everything was unmounted while "${request.mount}" was opened`);
        }
        mounts.set(request.mount, mounted);
      } finally {
        opening.delete(request.mount);
      }
    },
    async unmount(mount) {
      const mounted = find(mount);
      mounts.delete(mount);
      await mounted.close();
    },
    async close() {
      closings++;
      const open = [...mounts.values()].toReversed();
      mounts.clear();
      for (const mounted of open) await mounted.close();
    },
    route: (text) => routeTo(parseAddress(text, workspace), text),
    routePrefix: (text) => routeTo(parsePrefix(text, workspace), text),
    readerWithin: (mount, waitMs) =>
      answersWithin(routeTo(parsePrefix(`${mount}:///`, workspace), mount).source, mount, waitMs),
    status: (mount) => (mount === undefined ? [...mounts] : [[mount, find(mount)] as const]).map(toStatus),
    pause: (mount) => findStream(mount).pause(),
    resume: (mount) => findStream(mount).resume(),
    pull: (mount, pullOptions) => findStream(mount).pull(pullOptions),
    taken(mount, cursor) {
      findStream(mount);
      find(mount).place?.take(cursor);
    },
    onEvent(listener) {
      const entry = { hear: listener };
      listeners.add(entry);
      return { [Symbol.dispose]: () => void listeners.delete(entry) };
    },
    policyLayer: {
      name: "source",
      judge: (effect) => sourceOpinion(effect, mounts, options.locate),
    },
  };
}

type Listeners = Iterable<{ readonly hear: (notice: StreamNotice) => void }>;

/** What a source that is mounted as `mount` is opened with. */
function openingOptions(
  mount: string,
  options: SourceManagerOptions,
  listeners: Listeners,
): Parameters<typeof openSource>[1] {
  const warn = (message: string): void => options.warn?.(mount, message);
  return {
    services: options.services ?? {},
    registry: options.registry,
    keepEvents: options.keepEvents ?? KEEP_EVENTS,
    cursors: options.cursors,
    isOwn: (absolute) => options.isOwn?.(absolute, mount) ?? false,
    decorate: (source) => options.decorate?.(source, mount) ?? source,
    warn,
    onEvent: (event) => announce(listeners, { mount, event }, warn),
  };
}

/** The address that is meant by `parsed`, which may name a file of the machine that lies inside a mount. */
function meantAddress(
  parsed: Address,
  text: string,
  { workspace, locate, locateUri }: Pick<SourceManagerOptions, "workspace" | "locate" | "locateUri">,
): Address {
  if (parsed.mount === HOST_MOUNT) return locate?.(`/${parsed.path}`) ?? parsed;
  const isUri = parsed.mount === workspace && text.includes(":///") && parsed.path !== "";
  return (isUri ? locateUri?.(parsed.path) : undefined) ?? parsed;
}

/** Contract: `unsupported` for a stream, which holds no text. */
function routeIn({ block, definition, ceiling }: MountedSource, address: Address): Route {
  if (block === undefined) {
    throw new IkigaiError("unsupported", `"${address.mount}" is a stream (${definition.name}) and holds no text`, {
      hint: "Use the source tool to see its events.",
    });
  }
  const permission = block.permission?.(address.path) ?? "admin";
  return { address, uri: formatAddress(address), source: block, permission: lowerPermission(permission, ceiling) };
}

/** The error that no source has that mount. `whyNoWorkspace`: why the workspace, which was meant, is not there. */
function notMounted(
  mount: string,
  mounts: ReadonlyMap<string, MountedSource>,
  whyNoWorkspace: string | undefined,
): IkigaiError {
  const names = [...mounts.keys()].join(", ");
  const why = whyNoWorkspace === undefined ? "" : `: ${whyNoWorkspace}`;
  // Who named no place at all meant the workspace: they are told one that they can name.
  const [text] = whyNoWorkspace === undefined ? [] : ([...mounts].find(([, { pump }]) => pump === undefined) ?? []);
  const place = text === undefined ? "" : ` Name a place there, such as the path ${text}:///.`;
  return new IkigaiError("not_found", `No source is mounted as "${mount}"${why}`, {
    hint: names === "" ? "Mount a source first." : `Mounted are: ${names}.${place}`,
  });
}

/** Refuses an operation that the source does not offer, in words that name both. */
export function requireCapability<C extends TextCapability>(
  { address, source }: Route,
  capability: C,
): TextReader & Pick<TextFeatures, C> {
  if (typeof source[capability] === "function") return source as TextReader & Pick<TextFeatures, C>;
  throw new IkigaiError("unsupported", `The source "${address.mount}" cannot ${capability}`, {
    hint: "Choose another source, or copy the text there first.",
  });
}

function sourceOpinion(
  effect: Effect,
  mounts: ReadonlyMap<string, MountedSource>,
  locate: SourceManagerOptions["locate"],
): Opinion | undefined {
  const { target, action } = effect;
  if (!target.includes(":///")) return undefined;
  const parsed = addressIn(effect);
  if (parsed === undefined) return undefined;
  const address = parsed.mount === HOST_MOUNT ? (locate?.(`/${parsed.path}`) ?? parsed) : parsed;
  const mounted = mounts.get(address.mount);
  if (mounted === undefined) return undefined;
  const own = mounted.block?.permission?.(address.path) ?? "admin";
  const permission = lowerPermission(own, mounted.ceiling);
  if (permission !== own) return permissionOpinion(permission, action, `mount "${address.mount}"`);
  const rule = mounted.block?.permissionOrigin?.(address.path);
  return permissionOpinion(permission, action, rule === undefined ? target : `${target}, by ${rule},`);
}

/** A command line or a host name may hold the letters of an address and still be none. */
function addressIn({ target, action }: Effect): Address | undefined {
  try {
    return parsePrefix(target, "");
  } catch (error) {
    if (action === "execute" || action === "network") return undefined;
    throw error;
  }
}

function announce(listeners: Listeners, notice: StreamNotice, warn: (message: string) => void): void {
  for (const { hear } of listeners) {
    try {
      hear(notice);
    } catch (error) {
      warn(`a listener failed: ${messageOf(error)}`);
    }
  }
}

const ASK_TO_MOUNT = "Use a path inside the workspace, or ask the user to mount the host.";

function outsideWorkspace(path: string, hint: string = ASK_TO_MOUNT): IkigaiError {
  return new IkigaiError("permission_denied", `"/${path}" lies outside the workspace`, { hint });
}

function toStatus([mount, mounted]: readonly [string, MountedSource]): SourceStatus {
  const { definition, pump, tools, guidance } = mounted;
  return {
    mount,
    name: definition.name,
    kind: definition.kind,
    capabilities: definition.capabilities,
    tools,
    permission: mounted.ceiling,
    state: pump?.state ?? "mounted",
    ...(guidance !== undefined && { guidance }),
    ...(pump?.lastCursor !== undefined && { cursor: pump.lastCursor }),
    ...(mounted.place?.taken !== undefined && { taken: mounted.place.taken }),
    ...(pump?.failure !== undefined && {
      error: messageOf(pump.failure),
    }),
  };
}
