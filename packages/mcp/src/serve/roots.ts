import { messageOf } from "@ikigai/core";
import type { InputRequiredResult, Root, Server, ServerContext } from "@modelcontextprotocol/server";
import type { ConnectionScope, Peer } from "./connection.ts";
import type { Sdk } from "./sdk.ts";
import type { LogLevel, McpServerOptions } from "./server-options.ts";
import type { ServerSettings } from "./server-settings.ts";

/** Milliseconds that a call waits for the folders it is to run in. */
const WAIT_MS = 5_000;

/** Asks a client of 2025 for its folders once it is ready, and again whenever it says that they changed. */
export function hearRoots(
  server: Server,
  scope: ConnectionScope,
  { onRoots }: McpServerOptions,
  report: (level: LogLevel, message: string) => void,
): void {
  if (onRoots === undefined) return;
  const listen = async (): Promise<void> => {
    if (server.getClientCapabilities()?.roots === undefined) return;
    try {
      const { roots } = await server.listRoots(undefined, { timeout: WAIT_MS });
      await onRoots(roots.map(toRoot), scope.conversation());
    } catch (error) {
      report("warning", unknownRoots(error));
    }
  };
  let asked: Promise<void> | undefined;
  // Roots are asked for one after the other, so that the folders named last are the ones that stay.
  const ask = (): Promise<void> => (asked = (asked ?? Promise.resolve()).then(listen));
  scope.settled = () => asked ?? ask();
  server.oninitialized = () => void (asked ?? ask());
  server.setNotificationHandler("notifications/roots/list_changed", () => void ask());
}

const KEY = "roots";

/**
 * Asks a client of 2026 for its folders, by its first call, since there is no other way.
 *
 * Contract: the answer to give instead of running the call, or `undefined` to run it. Asks once per connection, and
 * not at all where there is no connection to remember it for.
 */
export async function askRoots(
  sdk: typeof Sdk,
  peer: Peer,
  { mcpReq }: ServerContext,
  scope: ConnectionScope,
  { options: { onRoots }, log }: ServerSettings,
): Promise<InputRequiredResult | undefined> {
  if (peer.era === "legacy" || !scope.remembers || onRoots === undefined || !peer.offersRoots) return undefined;
  const given = sdk.inputResponse(mcpReq.inputResponses, KEY);
  if (given.kind === "roots") {
    try {
      await onRoots(given.roots.map(toRoot), scope.conversation());
    } catch (error) {
      log("warning", unknownRoots(error));
    }
    return undefined;
  }
  if (scope.askedRoots) return undefined;
  scope.askedRoots = true;
  return sdk.inputRequired({ inputRequests: { [KEY]: sdk.inputRequired.listRoots() } });
}

function toRoot({ uri, name }: Root): { uri: string; name?: string } {
  return { uri, ...(name !== undefined && { name }) };
}

function unknownRoots(error: unknown): string {
  return `The client's roots are unknown: ${messageOf(error)}`;
}
