import { type Effect, type Envelope, IkigaiError, messageOf } from "@ikigai/core";
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type CallOptions,
  type FormAnswer,
  type FormRequest,
  toMcpTools,
  withHint,
} from "@ikigai/core/host";
import type {
  CallToolResult,
  ElicitRequestFormParams,
  InputRequiredResult,
  Server,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";
import { approvalAnswer, askByForms } from "./approval-form.ts";
import { withAttachments } from "./attachment-content.ts";
import { clientName, type ConnectionScope, type Era, type Offer, offerOf, type Peer, peerOf } from "../connection.ts";
import { toEnvelopeSchema } from "./output-schema.ts";
import { inNamedWorkspace, namedWorkspace } from "../named-workspace.ts";
import { pageOf } from "../resources/pages.ts";
import { answer } from "../protocol-errors.ts";
import { askRoots } from "../roots.ts";
import { type RunningCall, startCall } from "./running-call.ts";
import type { ServerSettings } from "../server-settings.ts";
import { ENVELOPE_KEY, toBoundedResult } from "./tool-result.ts";
import { ALWAYS_LOADED } from "../../toolsets.ts";

/** Characters that a result may have with what is attached, which is mostly pictures. */
const ATTACHED_SIZE = 10_000_000;

/** Serves `tools/list` and `tools/call` of one connection. */
export function handleTools(server: Server, era: Era, scope: ConnectionScope, settings: ServerSettings): void {
  const { sdk, options, maxAnswerSize, pageSize, log } = settings;
  const alwaysLoad = new Set(options.alwaysLoad ?? ALWAYS_LOADED);
  /** Effects that each call was permitted. */
  const permitted = new WeakMap<RunningCall, readonly Effect[]>();

  server.setRequestHandler("tools/list", ({ params }, context) =>
    answer(sdk, maxAnswerSize, log, async () => {
      await options.ready?.();
      const { presentation } = peerOf(server, era, context, options);
      const { catalog } = await offerIn(context, params?.cursor === undefined);
      const tools = toMcpTools(catalog.cards).map(({ outputSchema, ...tool }) => ({
        ...tool,
        ...(outputSchema !== undefined &&
          presentation === "structured" && { outputSchema: toEnvelopeSchema(outputSchema) }),
        ...(alwaysLoad.has(tool.name) && { _meta: { "anthropic/alwaysLoad": true } }),
      }));
      const limits = { items: pageSize, size: maxAnswerSize / 2 };
      const { items, nextCursor } = pageOf(tools, ({ name }) => name, params?.cursor, limits);
      return { tools: items as unknown as Tool[], ...(nextCursor !== undefined && { nextCursor }) };
    }),
  );

  server.setRequestHandler("tools/call", ({ params }, context) =>
    answer(sdk, undefined, log, async () => {
      const peer = peerOf(server, era, context, options);
      if (namedWorkspace(context) === undefined) {
        const asking = await askRoots(sdk, peer, context, scope, settings);
        if (asking !== undefined) return asking;
        await scope.settled?.();
      }
      const offer = await offerIn(context, false);
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
          ? startCall(fingerprint, (running) => run(running, peer, context, offer.catalog, params))
          : await continueCall(scope.parked.resume(ticket, fingerprint()), context);
      return follow(call, context, present);
    }),
  );

  /** Catalog of the workspace that the request is about. */
  async function offerIn(context: ServerContext, fresh: boolean): Promise<Offer> {
    if (namedWorkspace(context) === undefined) return offerOf(scope, options, fresh);
    const once = { ...scope, remembers: false, offer: undefined };
    return inNamedWorkspace(context, options, async ({ registry }) => offerOf(once, { ...options, registry }, true));
  }

  async function run(
    call: RunningCall,
    peer: Peer,
    context: ServerContext,
    catalog: ReturnType<typeof offerOf>["catalog"],
    params: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
  ): Promise<Envelope> {
    const id = crypto.randomUUID();
    using _ = options.approvals?.answer(id, (request) => askClient(request, call, peer, context));
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
          return (await askForm(form, call, peer, context, call.signal, key)) ?? { action: "cancel" };
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

  async function askClient(
    request: ApprovalRequest,
    call: RunningCall,
    peer: Peer,
    context: ServerContext,
  ): Promise<ApprovalAnswer> {
    if (!peer.offersForms) {
      return { approved: false, absent: true, reason: "this client shows no questions" };
    }
    try {
      return await askByForms(request, async (form) => {
        const given = await askForm(form, call, peer, context, request.signal);
        if (given === undefined) return { approved: false, unanswered: true, reason: "this client brought no answer" };
        return approvalAnswer(given.action, given.content, approverName(peer));
      });
    } catch (error) {
      // A protocol error here is the client's own answer: it said that it shows forms, and does not.
      if (!(error instanceof sdk.ProtocolError)) throw error;
      return { approved: false, absent: true, reason: `this client could not show the question (${messageOf(error)})` };
    }
  }

  /** Shows a form to the client's user. Contract: `undefined` when the client brought no answer. */
  async function askForm(
    form: ElicitRequestFormParams,
    call: RunningCall,
    peer: Peer,
    { mcpReq }: ServerContext,
    signal: AbortSignal,
    key?: string,
  ): Promise<FormAnswer | undefined> {
    if (peer.era === "modern") return call.ask(form, key);
    const request = { method: "elicitation/create" as const, params: { ...form } };
    const { action, content } = await mcpReq.send(request, { signal, timeout: settings.approvalWaitMs });
    return { action, ...(content !== undefined && { content }) };
  }

  async function continueCall(call: RunningCall, context: ServerContext): Promise<RunningCall> {
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

function approverName({ client }: Peer): string {
  return `mcp:${client === undefined ? "unknown client" : clientName(client)}`;
}
