import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { BadRequest, type NormalisedRequest, readAnthropic, readOpenAi } from "./normalised-request.ts";

/** What the scripted model says. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly id?: string;
    readonly rawArguments?: string;
  }[];
  readonly finish?: "stop" | "length";
}

/** A fault of the scripted provider, instead of its reply. */
export type Fault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly message?: string;
    }
  | { readonly kind: "cut"; readonly where: "before_headers" | "mid_text" | "mid_arguments" }
  | {
      readonly kind: "stall";
      /** Where in the reply the fault comes. Default: after the first event or two. */
      readonly where?: "before_headers" | "mid_text" | "mid_arguments";
      /** Called once the part before the fault was sent. */
      readonly reached?: () => void;
    }
  | { readonly kind: "bad_sse" }
  /** An error in the middle of the stream, as providers report one that they did not foresee. */
  | { readonly kind: "error_event"; readonly type: string; readonly message: string }
  | { readonly kind: "html" };

/** Derives the reply from the request, never from a list. Gets how many requests there were before. */
export type Script = (
  request: NormalisedRequest,
  count: number,
) => ScriptedReply | { readonly fault: Fault; readonly reply?: ScriptedReply };

export interface MockProvider extends AsyncDisposable {
  readonly openAiUrl: string;
  readonly anthropicUrl: string;
  /** Every request that was accepted. */
  readonly requests: readonly NormalisedRequest[];
  /** Every request that the real provider would have refused. */
  readonly refused: readonly string[];
  /** The key that each request brought; empty for none. */
  readonly keys: readonly string[];
  readonly count: number;
}

/** A server that speaks the streamed protocols of OpenAI and Anthropic and checks requests as they do. */
export async function startMockProvider(script: Script): Promise<MockProvider> {
  const requests: NormalisedRequest[] = [];
  const refused: string[] = [];
  const keys: string[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const anthropic = request.url?.endsWith("/messages") === true;
    const body = JSON.parse(await readBody(request)) as Record<string, unknown>;
    const before = count++;
    const { authorization = "", "x-api-key": key } = request.headers;
    keys.push(typeof key === "string" ? key : authorization.replace(/^Bearer /, ""));
    let read: NormalisedRequest;
    try {
      read = anthropic ? readAnthropic(body) : readOpenAi(body);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      refused.push(error.message);
      return fail(response, 400, error.message, anthropic);
    }
    requests.push(read);
    const said = script(read, before);
    const fault = "fault" in said ? said.fault : undefined;
    const reply = ("fault" in said ? said.reply : said) ?? {};
    if (fault?.kind === "status")
      return fail(response, fault.status, fault.message ?? "scripted failure", anthropic, fault.headers);
    if (fault?.kind === "cut" && fault.where === "before_headers") return void request.socket.destroy();
    if (fault?.kind === "stall" && fault.where === "before_headers") return fault.reached?.();
    if (fault?.kind === "html")
      return void response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (fault?.kind === "bad_sse") return void response.end("data: {not json\n\ndata: [DONE]\n\n");
    const events = anthropic ? anthropicEvents(reply, before) : openAiEvents(reply, before);
    await write(response, events.slice(0, stopAt(events, fault)).join(""));
    if (fault?.kind === "cut") return void request.socket.destroy();
    if (fault?.kind === "error_event") return void response.end(errorEvent(fault, anthropic));
    if (fault?.kind === "stall") return fault.reached?.();
    response.end();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    openAiUrl: `http://127.0.0.1:${port}/v1`,
    anthropicUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    refused,
    keys,
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function openAiEvents({ text = "", calls = [], finish }: ScriptedReply, turn: number): string[] {
  const chunk = (delta: unknown, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: `c${turn}`, object: "chat.completion.chunk", created: 0, model: "scripted", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const events = [chunk({ role: "assistant", content: "" })];
  for (const part of pieces(text)) events.push(chunk({ content: part }));
  for (const [index, { name, input, id = `call_${turn}_${index}`, rawArguments }] of calls.entries()) {
    events.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }));
    for (const part of pieces(rawArguments ?? JSON.stringify(input))) {
      events.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }));
    }
  }
  events.push(chunk({}, finish ?? (calls.length > 0 ? "tool_calls" : "stop")));
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  events.push(
    `data: ${JSON.stringify({ id: `c${turn}`, object: "chat.completion.chunk", created: 0, model: "scripted", choices: [], usage })}\n\n`,
  );
  events.push("data: [DONE]\n\n");
  return events;
}

function anthropicEvents({ text = "", calls = [], finish }: ScriptedReply, turn: number): string[] {
  const event = (type: string, data: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = {
    id: `m${turn}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const events = [event("message_start", { message })];
  let index = 0;
  const block = (start: object, deltas: readonly object[]): void => {
    events.push(event("content_block_start", { index, content_block: start }));
    for (const delta of deltas) events.push(event("content_block_delta", { index, delta }));
    events.push(event("content_block_stop", { index }));
    index++;
  };
  if (text !== "")
    block(
      { type: "text", text: "" },
      pieces(text).map((part) => ({ type: "text_delta", text: part })),
    );
  for (const [position, { name, input, id = `toolu_${turn}_${position}`, rawArguments }] of calls.entries()) {
    const parts = pieces(rawArguments ?? JSON.stringify(input));
    block(
      { type: "tool_use", id, name, input: {} },
      parts.map((part) => ({ type: "input_json_delta", partial_json: part })),
    );
  }
  const reason = finish === "length" ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
  events.push(event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage }));
  events.push(event("message_stop", {}));
  return events;
}

function errorEvent({ type, message }: Extract<Fault, { kind: "error_event" }>, anthropic: boolean): string {
  const error = { type, message };
  return anthropic
    ? `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`
    : `data: ${JSON.stringify({ error: { ...error, param: null, code: null } })}\n\n`;
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [];
}

/** How many events are sent: up to the first piece of text, or of arguments, when the fault says so. */
function stopAt(events: readonly string[], fault: Fault | undefined): number {
  if (fault?.kind === "error_event") return 2;
  if (fault?.kind !== "cut" && fault?.kind !== "stall") return events.length;
  const { where } = fault;
  if (where === undefined) return 2;
  const wanted =
    where === "mid_text" ? /"content":"[^"]|text_delta/ : /"function":\{"arguments":"[^"]|input_json_delta/;
  return events.findIndex((event) => wanted.test(event)) + 1;
}

/** Writes a text in pieces that split characters of several bytes. */
async function write(response: ServerResponse, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 97) {
    if (!response.write(bytes.subarray(at, at + 97))) await new Promise((resolve) => response.once("drain", resolve));
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function fail(
  response: ServerResponse,
  status: number,
  message: string,
  anthropic: boolean,
  headers: Record<string, string> = {},
): void {
  const error = anthropic
    ? { type: "error", error: { type: "scripted_error", message } }
    : { error: { message, type: "scripted_error", param: null, code: null } };
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(error));
}
