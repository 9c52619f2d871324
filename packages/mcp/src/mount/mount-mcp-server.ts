import { IkigaiError, messageOf } from "@ikigai/core";
import type { FormAnswer, FormRequest, ToolRegistry } from "@ikigai/core/host";
import type { Client } from "@modelcontextprotocol/client";
import { type BackOff, createBackOff } from "./back-off.ts";
import { cleanText } from "./clean-text.ts";
import { type Connection, connectClient, listForeignTools } from "./connect-client.ts";
import { createForeignTools, type ToolTrust } from "./foreign-tools.ts";
import { type ForeignResult, foreignResult, type KeptPart } from "./foreign-result.ts";
import type { ForeignCallContext } from "./foreign-tool.ts";
import { assertServerSpec, type ServerSpec } from "./server-spec.ts";
import { createToolRoom, type ToolRoom } from "./tool-room.ts";

export interface MountMcpServerOptions {
  /** Prefix of its tools, and the host of its targets in permission rules. */
  readonly name: string;
  readonly server: ServerSpec;
  /**
   * Says how the server is started or reached, before each start. Default: as `server` says.
   *
   * Contract: a rejection is a failed start, and is tried again like one.
   */
  readonly prepare?: () => Promise<ServerSpec>;
  readonly registry: Pick<ToolRegistry, "register">;
  /** Whether a tool may be offered. Default: yes when first seen, no once it changed. */
  readonly trust?: ToolTrust;
  /** Room for its tools, which other servers may share. Default: one of its own. */
  readonly room?: ToolRoom;
  /** Receives warnings for the operator. Must not throw. */
  readonly warn?: (message: string) => void;
  /**
   * Called with each line that the server prints to its standard error, and with messages that need no action.
   * Default: `warn`.
   */
  readonly onPrint?: (line: string) => void;
  /** Keeps parts of answers that are not text, and gives their addresses. Default: they are not kept. */
  readonly keep?: (part: KeptPart) => Promise<string | undefined>;
  /** Whether questions of the server are put to whoever made the call. Default: it is told that nobody can be asked. */
  readonly passesForms?: boolean;
  /** Ends the first attempt, as `close` does later. */
  readonly signal?: AbortSignal;
  /** Milliseconds a call may take. Default 120,000. */
  readonly timeoutMs?: number;
  /** Milliseconds a start may take. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds before a dead server is started again: the first time, and at most. Default 500 and 60,000. */
  readonly restart?: { readonly firstMs?: number; readonly maxMs?: number; readonly stableMs?: number };
}

export interface McpServerStatus {
  readonly name: string;
  readonly state: "connecting" | "ready" | "waiting" | "closed";
  readonly tools: readonly string[];
  /** Tools that are not offered until they are trusted, or cannot be used. */
  readonly withheld: readonly { readonly tool: string; readonly reason: string }[];
  /** Tools that there was no room for, in words. Absent: none. */
  readonly leftOut?: string;
  /** The last failure, in words. */
  readonly error?: string;
}

export interface MountedMcpServer {
  status(): McpServerStatus;
  /** Asks again about the tools that are withheld. */
  review(): Promise<void>;
  /** Runs work on the live connection. Contract: `unavailable` while the server is down. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Hears that the server's resources changed. */
  onResourcesChanged(listener: () => void): Disposable;
  /** Hears that the server's prompts changed. */
  onPromptsChanged(listener: () => void): Disposable;
  /** Withdraws the tools and ends the server. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 120_000;
const CONNECT_TIMEOUT_MS = 30_000;
const FIRST_MS = 500;
const MAX_MS = 60_000;
const STABLE_MS = 30_000;
const MAX_WARNING = 1_000;
const MAX_QUESTION = 4_000;
/** Longest wait of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Brings another MCP server's tools into a registry as `server__tool`, and keeps the server running.
 *
 * Contract: resolves after the first attempt, also when that failed; a server that dies is started again with growing
 * pauses, and calls meanwhile answer `unavailable`. Rejects only for a name or a server that cannot be used at all.
 */
export async function mountMcpServer(options: MountMcpServerOptions): Promise<MountedMcpServer> {
  const { name, server: spec, timeoutMs = TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  assertServerSpec(name, spec);
  // Much of it is a stranger's text on its way to a terminal.
  const warn = (message: string): void => options.warn?.(cleanText(message, MAX_WARNING));
  const backOff: BackOff = createBackOff({
    firstMs: options.restart?.firstMs ?? FIRST_MS,
    maxMs: options.restart?.maxMs ?? MAX_MS,
    stableMs: options.restart?.stableMs ?? STABLE_MS,
    now: () => performance.now(),
  });
  const stopping = new AbortController();
  const resourceListeners = new Set<() => void>();
  const promptListeners = new Set<() => void>();
  const running = new Set<ForeignCallContext>();
  const room = options.room ?? createToolRoom();
  const tools = createForeignTools({ ...options, room, spec, timeoutMs, warn, note: options.onPrint ?? warn, call });
  let state: McpServerStatus["state"] = "connecting";
  let failure: string | undefined;
  let lastPrinted: string | undefined;
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    if (connection === undefined) throw down();
    const used = connection;
    try {
      return await work(used.client);
    } catch (error) {
      if (connection === used && "url" in spec && isConnectionFault(error)) retry(messageOf(error));
      if (connection !== used) throw down(error);
      throw error;
    }
  }

  async function call(
    tool: string,
    input: Record<string, unknown>,
    context: ForeignCallContext,
  ): Promise<ForeignResult> {
    const { agent, callId, signal, progress, attach } = context;
    const request = { name: tool, arguments: input };
    const onprogress = (step: { progress: number; total?: number | undefined; message?: string | undefined }): void =>
      progress(step.message ?? `${step.progress}${step.total === undefined ? "" : ` of ${step.total}`}`);
    running.add(context);
    try {
      // A person may take as long as they want; the deadline of the call itself stands still meanwhile.
      const timeout = options.passesForms === true ? LONGEST_MS : timeoutMs;
      const result = await use((client) => client.callTool(request, { signal, onprogress, timeout }));
      return await foreignResult(name, tool, result, { callId, agent, attach, keep: options.keep });
    } catch (error) {
      if (IkigaiError.is(error)) throw error;
      throw new IkigaiError("unavailable", `${tool} of the MCP server "${name}" failed: ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      running.delete(context);
    }
  }

  /**
   * Asks whoever made the call that the question belongs to. Which one that is, is only known while there is one: a
   * question must never reach somebody else.
   */
  async function askForm({ message, schema }: FormRequest): Promise<FormAnswer> {
    const [only] = running;
    if (only?.askForm === undefined || running.size !== 1) return { action: "cancel" };
    // Framed, so that no line of a stranger passes for ours.
    const lines = cleanText(message, MAX_QUESTION).split("\n");
    return only.askForm({
      message: [`The MCP server "${name}" asks:`, ...lines.map((line) => `│ ${line}`)].join("\n"),
      schema,
    });
  }

  function printed(line: string): void {
    lastPrinted = cleanText(line, MAX_WARNING);
    if (options.onPrint === undefined) warn(`${name}: ${line}`);
    else options.onPrint(lastPrinted);
  }

  async function refresh(client: Client): Promise<void> {
    await tools.replace(await listForeignTools(client, connectTimeoutMs));
  }

  async function start(): Promise<void> {
    state = "connecting";
    try {
      const opened = await connectClient((await options.prepare?.()) ?? spec, {
        timeoutMs: connectTimeoutMs,
        signal: stopping.signal,
        warn: (message) => warn(`${name}: ${message}`),
        onPrint: printed,
        onToolsChanged: () => {
          use(refresh).catch((error: unknown) => warn(`${name}: its tools are unknown: ${messageOf(error)}`));
        },
        onResourcesChanged: () => {
          for (const listener of resourceListeners) listener();
        },
        onPromptsChanged: () => {
          for (const listener of promptListeners) listener();
        },
        ...(options.passesForms === true && { askForm }),
      });
      if (stopping.signal.aborted) {
        await opened.close();
        return;
      }
      connection = opened;
      backOff.started();
      void opened.closed.then(() => {
        if (connection === opened) retry("its connection closed");
      });
      await refresh(opened.client);
      state = connection === opened ? "ready" : state;
      failure = undefined;
    } catch (error) {
      retry(messageOf(error));
    }
  }

  function retry(reason: string): void {
    const dead = connection;
    connection = undefined;
    if (stopping.signal.aborted || timer !== undefined) return;
    void dead?.close().catch(() => {});
    const known = failure;
    failure = lastPrinted === undefined ? reason : `${reason}; it last printed: ${lastPrinted}`;
    lastPrinted = undefined;
    state = "waiting";
    const wait = backOff.died();
    // A server that never comes up is reported once, not at every attempt.
    if (known !== failure) warn(`${name}: ${failure}; it is started again in ${wait} ms`);
    timer = setTimeout(() => {
      timer = undefined;
      void start();
    }, wait);
    timer.unref();
  }

  function down(cause?: unknown): IkigaiError {
    return new IkigaiError("unavailable", `The MCP server "${name}" is not running${failure ? `: ${failure}` : ""}`, {
      hint: "It is started again by itself; try later.",
      cause,
    });
  }

  const giveUp = (): void => stopping.abort();
  options.signal?.addEventListener("abort", giveUp);
  await start();
  options.signal?.removeEventListener("abort", giveUp);
  return {
    use,
    status: () => ({ name, state, ...tools.status(), ...(failure !== undefined && { error: failure }) }),
    review: () => tools.review(),
    onResourcesChanged(listener) {
      resourceListeners.add(listener);
      return { [Symbol.dispose]: () => void resourceListeners.delete(listener) };
    },
    onPromptsChanged(listener) {
      promptListeners.add(listener);
      return { [Symbol.dispose]: () => void promptListeners.delete(listener) };
    },
    async close() {
      state = "closed";
      stopping.abort();
      clearTimeout(timer);
      tools[Symbol.dispose]();
      const open = connection;
      connection = undefined;
      await open?.close();
    },
  };
}

/** Over HTTP nothing else tells that a server is gone. What the server itself answered has a number for a code. */
function isConnectionFault(error: unknown): boolean {
  if (IkigaiError.is(error) || !(error instanceof Error) || error.name === "AbortError") return false;
  return !("code" in error && typeof error.code === "number");
}
