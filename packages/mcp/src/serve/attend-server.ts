import { messageOf } from "@ikigai/core";
import type { Server } from "@modelcontextprotocol/server";
import type { Era } from "./connection.ts";
import type { McpServer } from "./mcp-server.ts";

/**
 * Tells one connection of changes, from the moment that it may be told until it closes.
 *
 * Contract: calls `onClosed` once, when the connection is gone.
 */
export function attendServer(mcp: McpServer, server: Server, era: Era, onClosed: () => void): void {
  const send = (sending: Promise<void>): void => {
    sending.catch((error: unknown) => mcp.report("debug", `A client was not told of a change: ${messageOf(error)}`));
  };
  let attending: Disposable | undefined;
  const attend = (): void => {
    attending ??= mcp.attend({
      toolsChanged: () => send(server.sendToolListChanged()),
      promptsChanged: () => send(server.sendPromptListChanged()),
      resourcesChanged: () => send(server.sendResourceListChanged()),
      ...(era === "legacy" && { log: (level, data) => send(server.sendLoggingMessage({ level, data })) }),
    });
  };
  if (era === "modern") {
    attend();
  } else {
    const { oninitialized } = server;
    server.oninitialized = () => {
      attend();
      oninitialized?.();
    };
  }
  const { onclose } = server;
  const close = (): void => {
    attending?.[Symbol.dispose]();
    onclose?.();
    onClosed();
  };
  Object.assign(server, { onclose: close });
}
