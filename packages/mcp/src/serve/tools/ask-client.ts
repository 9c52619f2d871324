import { messageOf } from "@ikigai/core";
import type { ApprovalAnswer, ApprovalRequest, FormAnswer } from "@ikigai/core/host";
import type { ElicitRequestFormParams, ServerContext } from "@modelcontextprotocol/server";
import { clientName, type Peer } from "../connection.ts";
import type { ServerSettings } from "../server-settings.ts";
import { approvalAnswer, askByForms } from "./approval-form.ts";
import type { RunningCall } from "./running-call.ts";

/** A call, and the client that made it. */
export interface AskedClient {
  readonly call: RunningCall;
  readonly peer: Peer;
  readonly context: ServerContext;
  readonly settings: ServerSettings;
}

/** Asks the client's user whether a call may do something. Contract: a client that shows no questions is nobody to ask. */
export async function askClient(request: ApprovalRequest, client: AskedClient): Promise<ApprovalAnswer> {
  const { peer, settings } = client;
  if (!peer.offersForms) {
    return { approved: false, absent: true, reason: "this client shows no questions" };
  }
  try {
    return await askByForms(request, async (form) => {
      const given = await askForm(form, client, request.signal);
      if (given === undefined) return { approved: false, unanswered: true, reason: "this client brought no answer" };
      return approvalAnswer(given.action, given.content, approverName(peer));
    });
  } catch (error) {
    // A protocol error here is the client's own answer: it said that it shows forms, and does not.
    if (!(error instanceof settings.sdk.ProtocolError)) throw error;
    return { approved: false, absent: true, reason: `this client could not show the question (${messageOf(error)})` };
  }
}

/** Shows a form to the client's user. Contract: `undefined` when the client brought no answer. */
export async function askForm(
  form: ElicitRequestFormParams,
  { call, peer, context: { mcpReq }, settings }: AskedClient,
  signal: AbortSignal,
  key?: string,
): Promise<FormAnswer | undefined> {
  if (peer.era === "modern") return call.ask(form, key);
  const request = { method: "elicitation/create" as const, params: { ...form } };
  const { action, content } = await mcpReq.send(request, { signal, timeout: settings.approvalWaitMs });
  return { action, ...(content !== undefined && { content }) };
}

function approverName({ client }: Peer): string {
  return `mcp:${client === undefined ? "unknown client" : clientName(client)}`;
}
