import type { ToolCatalog, ToolCard } from "@ikigai/core/host";
import type { ClientCapabilities, Server, ServerContext } from "@modelcontextprotocol/server";
import type { ParkedCalls } from "./tools/parked-calls.ts";
import type { ClientFacts, Presentation } from "./tools/presentation.ts";
import type { McpServerOptions } from "./server-options.ts";
import { visibleText } from "./tools/visible-text.ts";

export type Era = "legacy" | "modern";

/** The tools as they were last listed: what is offered is what is called. */
export interface Offer {
  readonly catalog: ToolCatalog;
  readonly cards: ReadonlyMap<string, ToolCard>;
}

/** What outlives a single request: who talks, and which calls wait for an answer. */
export interface ConnectionScope {
  conversation(): string;
  /** Whether several programs that cannot be told apart may talk in the conversation. */
  readonly isShared: boolean;
  readonly parked: ParkedCalls;
  /** The offer that was last listed, where there is a connection to remember it for. */
  offer: Offer | undefined;
  /** Whether this is one connection, and not one of many requests that have nothing in common. */
  readonly remembers: boolean;
  /** Whether the client was already asked for its folders. */
  askedRoots: boolean;
  /** Resolves once the client's folders are known, or cannot be. Absent: they are not asked for. */
  settled?: () => Promise<void>;
}

/** What is known about the other side of one request. */
export interface Peer {
  readonly era: Era;
  readonly client: ClientFacts | undefined;
  readonly presentation: Presentation;
  /** Whether a person can be shown a form. */
  readonly offersForms: boolean;
  readonly offersRoots: boolean;
}

/** What a request of the 2026 generation says of its sender. */
interface PeerEnvelope {
  readonly "io.modelcontextprotocol/clientInfo"?: ClientFacts;
  readonly "io.modelcontextprotocol/clientCapabilities"?: ClientCapabilities;
}

/** Who sent a request, as it says of itself. */
export function clientOf(server: Server, context: ServerContext): ClientFacts | undefined {
  const envelope: PeerEnvelope | undefined = context.mcpReq.envelope;
  return envelope?.["io.modelcontextprotocol/clientInfo"] ?? server.getClientVersion();
}

export function peerOf(
  server: Server,
  era: Era,
  context: ServerContext,
  options: Pick<McpServerOptions, "presentation">,
): Peer {
  const envelope: PeerEnvelope | undefined = context.mcpReq.envelope;
  const client = clientOf(server, context);
  const capabilities = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? server.getClientCapabilities();
  const revision = server.getNegotiatedProtocolVersion();
  const { elicitation } = capabilities ?? {};
  return {
    era,
    client,
    presentation: options.presentation?.(client, revision) ?? "text",
    // A client that names no kind of form means the only kind there was at first.
    offersForms: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    offersRoots: capabilities?.roots !== undefined,
  };
}

export function createScope(
  conversation: string,
  parked: ParkedCalls,
  remembers: boolean,
  isShared = false,
): ConnectionScope {
  return { conversation: () => conversation, isShared, parked, remembers, offer: undefined, askedRoots: false };
}

/**
 * The offer of a connection: the one that the client listed last, made anew when `fresh`.
 *
 * Contract: a client that has never listed calls what there is now, also what came since its first call.
 */
export function offerOf(scope: ConnectionScope, options: McpServerOptions, fresh: boolean): Offer {
  if (!fresh && scope.offer !== undefined) return scope.offer;
  const catalog = options.registry.snapshot(options.tools);
  const offer = { catalog, cards: new Map(catalog.cards.map((card) => [card.name, card])) };
  if (scope.remembers && fresh) scope.offer = offer;
  return offer;
}

const MAX_NAME = 64;

/** A client's name for people to read. Contract: one line of visible characters, bounded, whatever it calls itself. */
export function clientName({ name }: ClientFacts): string {
  const line = name.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "unnamed client" : visibleText(line.slice(0, MAX_NAME), MAX_NAME);
}
