import { messageOf } from "@ikigai/core";
import type { ToolRegistry } from "@ikigai/core/host";
import type { Client } from "@modelcontextprotocol/client";
import { cleanText, MAX_WARNING } from "./clean-text.ts";
import { listForeignTools } from "./connect-client.ts";
import { createForeignCalls } from "./foreign-calls.ts";
import type { KeptPart } from "./foreign-result.ts";
import { createForeignTools, type ToolTrust } from "./foreign-tools.ts";
import { createKeptConnection, type KeptConnection } from "./kept-connection.ts";
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
  readonly state: KeptConnection["state"];
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

/**
 * Brings another MCP server's tools into a registry as `server__tool`, and keeps the server running.
 *
 * Contract: resolves after the first attempt, also when that failed; a server that dies is started again with growing
 * pauses, and calls meanwhile answer `unavailable`. Rejects only for a name or a server that cannot be used at all.
 */
export async function mountMcpServer(options: MountMcpServerOptions): Promise<MountedMcpServer> {
  const { name, server, timeoutMs = TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { prepare, restart, onPrint, passesForms = false } = options;
  assertServerSpec(name, server);
  // Much of it is a stranger's text on its way to a terminal.
  const warn = (message: string): void => options.warn?.(cleanText(message, MAX_WARNING));
  const resources = createListeners();
  const prompts = createListeners();
  const refresh = async (client: Client): Promise<void> =>
    tools.replace(await listForeignTools(client, connectTimeoutMs));
  const connection = createKeptConnection({
    name,
    server,
    prepare,
    restart,
    connectTimeoutMs,
    warn,
    onPrint,
    onConnected: refresh,
    onToolsChanged: () => {
      connection.use(refresh).catch((error: unknown) => warn(`${name}: its tools are unknown: ${messageOf(error)}`));
    },
    onResourcesChanged: resources.call,
    onPromptsChanged: prompts.call,
    ...(passesForms && { askForm: (request) => calls.askForm(request) }),
  });
  const calls = createForeignCalls({ name, timeoutMs, passesForms, use: connection.use, keep: options.keep });
  const room = options.room ?? createToolRoom();
  const note = onPrint ?? warn;
  const tools = createForeignTools({ ...options, room, spec: server, timeoutMs, warn, note, call: calls.call });

  await connection.start(options.signal);
  return {
    use: connection.use,
    status() {
      const { state, failure } = connection;
      return { name, state, ...tools.status(), ...(failure !== undefined && { error: failure }) };
    },
    review: () => tools.review(),
    onResourcesChanged: resources.add,
    onPromptsChanged: prompts.add,
    async close() {
      connection.stop();
      tools[Symbol.dispose]();
      await connection.close();
    },
  };
}

function createListeners(): { call(): void; add(listener: () => void): Disposable } {
  const listeners = new Set<() => void>();
  return {
    call() {
      for (const listener of listeners) listener();
    },
    add(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}
