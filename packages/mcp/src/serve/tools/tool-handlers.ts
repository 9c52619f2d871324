import { type Effect, type Envelope, IkigaiError } from "@ikigai/core";
import { type CallOptions, type FormRequest, toMcpTools, withHint } from "@ikigai/core/host";
import type {
  CallToolResult,
  ElicitRequestFormParams,
  InputRequiredResult,
  ListToolsResult,
  Server,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";
import { askClient, type AskedClient, askForm } from "./ask-client.ts";
import { withAttachments } from "./attachment-content.ts";
import { clientName, type ConnectionScope, type Era, type Offer, offerOf, peerOf } from "../connection.ts";
import { toEnvelopeSchema } from "./output-schema.ts";
import { inNamedWorkspace, namedWorkspace } from "../named-workspace.ts";
import { pageOf } from "../resources/pages.ts";
import { answer } from "../protocol-errors.ts";
import { askRoots } from "../roots.ts";
import { type RunningCall, startCall } from "./running-call.ts";
import type { ServerSettings } from "../server-settings.ts";
import { ENVELOPE_KEY, toBoundedResult } from "./tool-result.ts";

/** Characters that a result may have with what is attached, which is mostly pictures. */
const ATTACHED_SIZE = 10_000_000;

/** One connection that tools are served to. */
interface ToolServing {
  readonly server: Server;
  readonly era: Era;
  readonly scope: ConnectionScope;
  readonly settings: ServerSettings;
  /** Effects that each call was permitted. */
  readonly permitted: WeakMap<RunningCall, readonly Effect[]>;
}

/** Serves `tools/list` and `tools/call` of one connection. */
export function handleTools(server: Server, era: Era, scope: ConnectionScope, settings: ServerSettings): void {
  const { sdk, maxAnswerSize, log } = settings;
  const serving: ToolServing = { server, era, scope, settings, permitted: new WeakMap() };
  server.setRequestHandler("tools/list", ({ params }, context) =>
    answer(sdk, maxAnswerSize, log, () => listTools(serving, params?.cursor, context)),
  );
  server.setRequestHandler("tools/call", ({ params }, context) =>
    answer(sdk, undefined, log, () => callTool(serving, params, context)),
  );
}

async function listTools(
  serving: ToolServing,
  cursor: string | undefined,
  context: ServerContext,
): Promise<ListToolsResult> {
  const { server, era, settings } = serving;
  const { options, maxAnswerSize, pageSize } = settings;
  const alwaysLoad = new Set(options.alwaysLoad);
  await options.ready?.();
  const { presentation } = peerOf(server, era, context, options);
  const { catalog } = await offerIn(serving, context, cursor === undefined);
  const tools = toMcpTools(catalog.cards).map(({ outputSchema, ...tool }) => ({
    ...tool,
    ...(outputSchema !== undefined &&
      presentation === "structured" && { outputSchema: toEnvelopeSchema(outputSchema) }),
    ...(alwaysLoad.has(tool.name) && { _meta: { "anthropic/alwaysLoad": true } }),
  }));
  const limits = { items: pageSize, size: maxAnswerSize / 2 };
  const { items, nextCursor } = pageOf(tools, ({ name }) => name, cursor, limits);
  return { tools: items as unknown as Tool[], ...(nextCursor !== undefined && { nextCursor }) };
}

/** A call as a client makes it. */
interface CallParams {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

async function callTool(
  serving: ToolServing,
  params: CallParams,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { server, era, scope, settings } = serving;
  const { sdk, options, maxAnswerSize } = settings;
  const peer = peerOf(server, era, context, options);
  if (namedWorkspace(context) === undefined) {
    const asking = await askRoots(sdk, peer, context, scope, settings);
    if (asking !== undefined) return asking;
    await scope.settled?.();
  }
  const offer = await offerIn(serving, context, false);
  const present = (envelope: Envelope, wroteTo: string | undefined): CallToolResult =>
    toBoundedResult(envelope, maxAnswerSize, {
      presentation: peer.presentation,
      card: offer.cards.get(params.name),
      input: params.arguments ?? {},
      wroteTo,
      wantsEnvelope: context.mcpReq._meta?.[ENVELOPE_KEY] === true,
    });
  // Arguments may be large, and only a call that was parked is ever compared.
  const fingerprint = (): string => JSON.stringify([params.name, params.arguments ?? {}]);
  const ticket: unknown = context.mcpReq.requestState();
  const call =
    ticket === undefined
      ? startCall(fingerprint, (running) =>
          run(serving, { call: running, peer, context, settings }, offer.catalog, params),
        )
      : await continueCall(settings, scope.parked.resume(ticket, fingerprint()), context);
  return follow(serving, call, context, present);
}

/** Catalog of the workspace that the request is about. */
async function offerIn(
  { scope, settings: { options } }: ToolServing,
  context: ServerContext,
  fresh: boolean,
): Promise<Offer> {
  if (namedWorkspace(context) === undefined) return offerOf(scope, options, fresh);
  const once = { ...scope, remembers: false, offer: undefined };
  return inNamedWorkspace(context, options, async ({ registry }) => offerOf(once, { ...options, registry }, true));
}

async function run(
  { scope, settings, permitted }: ToolServing,
  asked: AskedClient,
  catalog: Offer["catalog"],
  params: CallParams,
): Promise<Envelope> {
  const { call, peer, context } = asked;
  const { options } = settings;
  const id = crypto.randomUUID();
  using _ = options.approvals?.answer(id, (request) => askClient(request, asked));
  const request = { id, name: params.name, arguments: params.arguments ?? {} };
  const callOptions: CallOptions = {
    agent: settings.agent,
    conversation: scope.conversation(),
    ...(scope.isShared && { isSharedConversation: true }),
    ...(peer.client !== undefined && { client: clientName(peer.client) }),
    signal: call.signal,
    onProgress: (message) => call.onProgress?.(message),
    onAttachment: (attachment) => void call.attachments.push(attachment),
    onPermitted: (effects) => void permitted.set(call, [...(permitted.get(call) ?? []), ...effects]),
    ...(peer.offersForms && {
      onForm: async ({ key, message, schema }: FormRequest) => {
        const form = { message, requestedSchema: schema as ElicitRequestFormParams["requestedSchema"] };
        return (await askForm(form, asked, call.signal, key)) ?? { action: "cancel" };
      },
    }),
  };
  if (namedWorkspace(context) === undefined) return await catalog.call(request, callOptions);
  try {
    // The workspace stays open while the call runs, also when the request that began it is gone.
    return await inNamedWorkspace(context, options, ({ registry }) =>
      registry.snapshot(options.tools).call(request, callOptions),
    );
  } catch (error) {
    if (!IkigaiError.is(error)) throw error;
    return { success: false, error: withHint(error.message, error.hint), code: error.code };
  }
}

async function continueCall({ sdk }: ServerSettings, call: RunningCall, context: ServerContext): Promise<RunningCall> {
  const step = await call.next();
  if (step.kind === "ended") return call;
  for (const ask of step.asks) {
    const given = sdk.inputResponse(context.mcpReq.inputResponses, ask.id);
    if (given.kind !== "elicit") ask.answer(undefined);
    else ask.answer({ action: given.action, ...(given.content !== undefined && { content: given.content }) });
  }
  return call;
}

/** Waits for the call to end or to ask, while this request lasts. */
async function follow(
  { scope, settings: { sdk, options }, permitted }: ToolServing,
  call: RunningCall,
  context: ServerContext,
  present: (envelope: Envelope, wroteTo: string | undefined) => CallToolResult,
): Promise<CallToolResult | InputRequiredResult> {
  const { mcpReq, http } = context;
  const stop = (): void => call.cancel();
  if (mcpReq.signal.aborted) stop();
  mcpReq.signal.addEventListener("abort", stop);
  call.onProgress = progressOf(mcpReq);
  const { pollAfterMs } = options;
  const closing = pollAfterMs === undefined ? undefined : setTimeout(() => http?.closeSSE?.(), pollAfterMs);
  try {
    const step = await call.next();
    if (step.kind === "ended") {
      const result = present(step.envelope, options.wroteTo?.(permitted.get(call) ?? [], namedWorkspace(context)));
      return withAttachments(result, step.envelope.success ? call.attachments : [], ATTACHED_SIZE);
    }
    const inputRequests = Object.fromEntries(step.asks.map(({ id, form }) => [id, sdk.inputRequired.elicit(form)]));
    return sdk.inputRequired({ inputRequests, requestState: scope.parked.park(call) });
  } finally {
    mcpReq.signal.removeEventListener("abort", stop);
    call.onProgress = undefined;
    clearTimeout(closing);
  }
}

function progressOf(request: ServerContext["mcpReq"]): ((message: string) => void) | undefined {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress++;
    const params = { progressToken, progress, message };
    // A client that no longer listens has the result or is gone.
    request.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
