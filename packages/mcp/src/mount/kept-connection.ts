import { IkigaiError, messageOf } from "@ikigai/core";
import type { Client } from "@modelcontextprotocol/client";
import { createBackOff } from "./back-off.ts";
import { cleanText, MAX_WARNING } from "./clean-text.ts";
import { type Connection, connectClient, type ConnectOptions } from "./connect-client.ts";
import type { ServerSpec } from "./server-spec.ts";

type ServerRequests = "onToolsChanged" | "onResourcesChanged" | "onPromptsChanged" | "askForm";

export interface KeptConnectionOptions extends Pick<ConnectOptions, ServerRequests> {
  readonly name: string;
  readonly server: ServerSpec;
  readonly prepare?: (() => Promise<ServerSpec>) | undefined;
  readonly restart?: { readonly firstMs?: number; readonly maxMs?: number; readonly stableMs?: number } | undefined;
  readonly connectTimeoutMs: number;
  readonly warn: (message: string) => void;
  /** Receives each line that the server prints. Default: `warn`. */
  readonly onPrint?: ((line: string) => void) | undefined;
  /** Uses each new connection before the server is ready. Contract: a rejection is a failed start. */
  readonly onConnected: (client: Client) => Promise<void>;
}

/** The connection to one server, which is started again whenever it dies. */
export interface KeptConnection {
  readonly state: "connecting" | "ready" | "waiting" | "closed";
  /** The last failure, in words. */
  readonly failure: string | undefined;
  /** Contract: resolves after the first attempt, also when that failed. `signal` ends that attempt, and all later ones. */
  start(signal: AbortSignal | undefined): Promise<void>;
  /** Runs work on the live connection. Contract: `unavailable` while the server is down. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Starts the server no more. */
  stop(): void;
  /** Ends the server, after `stop`. */
  close(): Promise<void>;
}

const FIRST_MS = 500;
const MAX_MS = 60_000;
const STABLE_MS = 30_000;

export function createKeptConnection(options: KeptConnectionOptions): KeptConnection {
  const { name, server: spec, warn } = options;
  const backOff = createBackOff({
    firstMs: options.restart?.firstMs ?? FIRST_MS,
    maxMs: options.restart?.maxMs ?? MAX_MS,
    stableMs: options.restart?.stableMs ?? STABLE_MS,
    now: () => performance.now(),
  });
  const stopping = new AbortController();
  const failures = createFailures(options);
  let state: KeptConnection["state"] = "connecting";
  let connection: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function start(): Promise<void> {
    state = "connecting";
    try {
      const opened = await connectClient((await options.prepare?.()) ?? spec, {
        ...options,
        timeoutMs: options.connectTimeoutMs,
        signal: stopping.signal,
        warn: (message) => warn(`${name}: ${message}`),
        onPrint: failures.printed,
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
      await options.onConnected(opened.client);
      state = connection === opened ? "ready" : state;
      failures.clear();
    } catch (error) {
      retry(messageOf(error));
    }
  }

  function retry(reason: string): void {
    const dead = connection;
    connection = undefined;
    if (stopping.signal.aborted || timer !== undefined) return;
    void dead?.close().catch(() => {});
    state = "waiting";
    const wait = backOff.died();
    failures.add(reason, wait);
    timer = setTimeout(() => {
      timer = undefined;
      void start();
    }, wait);
    timer.unref();
  }

  return {
    get state() {
      return state;
    },
    get failure() {
      return failures.last;
    },
    async start(signal) {
      const giveUp = (): void => stopping.abort();
      signal?.addEventListener("abort", giveUp);
      await start();
      signal?.removeEventListener("abort", giveUp);
    },
    async use(work) {
      if (connection === undefined) throw notRunning(name, failures.last);
      const used = connection;
      try {
        return await work(used.client);
      } catch (error) {
        if (connection === used && "url" in spec && isConnectionFault(error)) retry(messageOf(error));
        if (connection !== used) throw notRunning(name, failures.last, error);
        throw error;
      }
    },
    stop() {
      state = "closed";
      stopping.abort();
      clearTimeout(timer);
    },
    async close() {
      const open = connection;
      connection = undefined;
      await open?.close();
    },
  };
}

/** What went wrong with a server last, with what it printed before. */
interface Failures {
  readonly last: string | undefined;
  readonly printed: (line: string) => void;
  /** Contract: a server that never comes up is reported once, not at every attempt. */
  add(reason: string, waitMs: number): void;
  clear(): void;
}

function createFailures({ name, warn, onPrint }: Pick<KeptConnectionOptions, "name" | "warn" | "onPrint">): Failures {
  let last: string | undefined;
  let lastPrinted: string | undefined;
  return {
    get last() {
      return last;
    },
    printed(line) {
      lastPrinted = cleanText(line, MAX_WARNING);
      if (onPrint === undefined) warn(`${name}: ${line}`);
      else onPrint(lastPrinted);
    },
    add(reason, waitMs) {
      const known = last;
      last = lastPrinted === undefined ? reason : `${reason}; it last printed: ${lastPrinted}`;
      lastPrinted = undefined;
      if (known !== last) warn(`${name}: ${last}; it is started again in ${waitMs} ms`);
    },
    clear: () => void (last = undefined),
  };
}

function notRunning(name: string, failure: string | undefined, cause?: unknown): IkigaiError {
  return new IkigaiError("unavailable", `The MCP server "${name}" is not running${failure ? `: ${failure}` : ""}`, {
    hint: "It is started again by itself; try later.",
    cause,
  });
}

/** Over HTTP nothing else tells that a server is gone. What the server itself answered has a number for a code. */
function isConnectionFault(error: unknown): boolean {
  if (IkigaiError.is(error) || !(error instanceof Error) || error.name === "AbortError") return false;
  return !("code" in error && typeof error.code === "number");
}
