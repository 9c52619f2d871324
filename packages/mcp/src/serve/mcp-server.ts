import { messageOf } from "@ikigai/core";
import type { Server, ServerCapabilities } from "@modelcontextprotocol/server";
import type { ConnectionScope, Era } from "./connection.ts";
import { createParkedCalls, type ParkedCalls } from "./tools/parked-calls.ts";
import { handleCompletion, handlePrompts } from "./resources/prompt-handlers.ts";
import { handleResources } from "./resources/resource-handlers.ts";
import { hearRoots } from "./roots.ts";
import { loadSdk } from "./sdk.ts";
import type { LogLevel, McpServerOptions } from "./server-options.ts";
import type { ServerSettings } from "./server-settings.ts";
import { handleTools } from "./tools/tool-handlers.ts";
import { createUpdateHub, type UpdateHub } from "./resources/update-hub.ts";

/** Somebody who hears that what is offered has changed. */
export interface Audience {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  log?(level: LogLevel, message: string): void;
}

/** What is served, independent of how clients reach it. Give it to `serveStdio` or `serveHttp`. */
export interface McpServer {
  /** Tells every connected client that listens. */
  log(level: LogLevel, message: string): void;
  /** Stops hearing changes and cancels what waits. The transports are closed by whoever started them. */
  close(): void;
  /** For transports: the protocol's end of one connection. */
  open(era: Era, scope: ConnectionScope): Promise<Server>;
  /** For transports: hears changes until disposed. */
  attend(audience: Audience): Disposable;
  /** For transports: makes the place where calls wait for answers. */
  park(): ParkedCalls;
  readonly updates: UpdateHub;
  /** Tells the operator. */
  report(level: LogLevel, message: string): void;
}

const DEFAULT_INFO = { name: "ikigai", version: "0.1.0" };
const MAX_ANSWER_SIZE = 1_000_000;
const PAGE_SIZE = 100;
const APPROVAL_WAIT_MS = 600_000;

/**
 * Serves a tool registry, and what else is given, to MCP clients of both protocol generations.
 *
 * Contract: a failing tool is a result that the model sees; protocol errors are for faults of the protocol only. No
 * answer exceeds `maxAnswerSize`.
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  const audiences = new Set<Audience>();
  const updates = createUpdateHub(options.resources);
  const approvalWaitMs = options.approvalWaitMs ?? APPROVAL_WAIT_MS;
  const allParked = new Set<ParkedCalls>();
  const report = (level: LogLevel, message: string): void => options.onLog?.(level, message);
  const tell = (change: (audience: Audience) => void) => (): void => {
    for (const audience of audiences) change(audience);
  };
  const sources = [
    options.registry.onChange(tell((audience) => audience.toolsChanged())),
    options.prompts?.onChange?.(tell((audience) => audience.promptsChanged())),
    options.resources?.onListChange?.(tell((audience) => audience.resourcesChanged())),
  ];

  return {
    updates,
    report,
    log: (level, message) => tell((audience) => audience.log?.(level, message))(),
    close() {
      for (const source of sources) source?.[Symbol.dispose]();
      for (const parked of allParked) parked[Symbol.dispose]();
    },
    attend(audience) {
      audiences.add(audience);
      return { [Symbol.dispose]: () => void audiences.delete(audience) };
    },
    park() {
      const parked = createParkedCalls(approvalWaitMs);
      allParked.add(parked);
      return {
        ...parked,
        [Symbol.dispose]() {
          allParked.delete(parked);
          parked[Symbol.dispose]();
        },
      };
    },
    async open(era, scope) {
      const sdk = await loadSdk();
      const settings: ServerSettings = {
        sdk,
        options,
        updates,
        log: report,
        agent: options.agent ?? "default",
        maxAnswerSize: options.maxAnswerSize ?? MAX_ANSWER_SIZE,
        pageSize: options.pageSize ?? PAGE_SIZE,
        approvalWaitMs,
      };
      const { resources, prompts, complete } = options;
      const instructions = typeof options.instructions === "function" ? options.instructions() : options.instructions;
      const server = new sdk.Server(options.info ?? DEFAULT_INFO, {
        capabilities: capabilitiesOf(options),
        ...(instructions !== undefined && { instructions }),
      });
      handleTools(server, era, scope, settings);
      const serving = resources === undefined ? undefined : handleResources(server, era, resources, scope, settings);
      if (prompts !== undefined) handlePrompts(server, prompts, scope, settings);
      if (complete !== undefined) handleCompletion(server, complete, scope, settings);
      if (era === "legacy") hearRoots(server, scope, options, report);
      return Object.assign(server, {
        onerror: (error: Error) => report("warning", messageOf(error)),
        onclose: () => serving?.[Symbol.dispose](),
      });
    },
  };
}

function capabilitiesOf({ resources, prompts, complete }: McpServerOptions): ServerCapabilities {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(resources !== undefined && {
      resources: { subscribe: resources.onUpdate !== undefined, listChanged: resources.onListChange !== undefined },
    }),
    ...(prompts !== undefined && { prompts: { listChanged: prompts.onChange !== undefined } }),
    ...(complete !== undefined && { completions: {} }),
  };
}
