import { APICallError } from "@ai-sdk/provider";
import { IkigaiError, messageOf } from "@ikigai/core";
import { CutStream } from "./model.ts";

/** What a failed request means: whether to try again, when, and what to tell the user in the end. */
export interface Diagnosis {
  readonly retry: boolean;
  /** Milliseconds the provider asked us to wait. */
  readonly waitMs?: number;
  /** The request was too long for the model. */
  readonly overflow: boolean;
  readonly error: IkigaiError;
}

const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const OVERFLOW = /context.{0,20}(length|window)|too many tokens|prompt is too long|maximum context|too large/i;

/** Kinds of errors that pass, as OpenAI and Anthropic name them. */
const PASSING = /^(overloaded|rate_limit|api|server|timeout)(_error|_exceeded)?$/;

/** Reads what a provider threw. Contract: never throws; the message holds no key and no whole response body. */
export function diagnose(thrown: unknown, now: Date): Diagnosis {
  if (IkigaiError.is(thrown)) return { retry: false, overflow: false, error: thrown };
  if (APICallError.isInstance(thrown)) return diagnoseResponse(thrown, now);
  const message = saidIn(thrown).slice(0, 300);
  const broken = thrown instanceof CutStream || isNetworkError(thrown) || isBadStream(thrown) || isOverload(thrown);
  const error = new IkigaiError("unavailable", `The model's reply failed: ${message}`, {
    hint: "Try again, or choose another model with /model.",
    cause: thrown,
  });
  return { retry: broken, overflow: false, error };
}

function diagnoseResponse(thrown: APICallError, now: Date): Diagnosis {
  const { statusCode: status, responseHeaders = {} } = thrown;
  const detail = saidBy(thrown);
  const said = `${detail} ${(thrown.responseBody ?? "").slice(0, 2_000)}`;
  if (status === 401 || status === 403) {
    return failed(
      "permission_denied",
      `The model's provider refused the key (${status}): ${detail}`,
      "Check the key and its account.",
    );
  }
  if (status === 404)
    return failed("not_found", `The provider does not know the model (404): ${detail}`, "Choose another with /model.");
  if (status === 413 || (status === 400 && OVERFLOW.test(said))) {
    const overflow = failed(
      "over_budget",
      `The request is too long for the model (${status}): ${detail}`,
      "Use /compact or /unpin, or start with /clear.",
    );
    return { ...overflow, overflow: true };
  }
  // Without a status the request never got an answer; 200 with a body that is no stream is a broken gateway.
  const retry = status === undefined || status === 200 || RETRYABLE.has(status);
  const waitMs = retryAfter(responseHeaders, now);
  return {
    ...failed(
      "unavailable",
      `The model's provider failed (${status ?? "no answer"}): ${detail}`,
      "Try again later, or choose another model with /model.",
    ),
    retry,
    ...(waitMs !== undefined && { waitMs }),
  };
}

/**
 * The provider's own words: those that the adapter read, or else those in the answer's body.
 *
 * Contract: one line of at most 300 characters; nothing of a page of HTML.
 */
function saidBy({ message, responseBody = "", statusCode }: APICallError): string {
  const own = oneLine(message);
  const generic =
    own === "" ||
    /^(bad request|not found|internal server error|too many requests|unauthorized|forbidden|.*status code.*)$/i.test(
      own,
    );
  const body = messageIn(responseBody);
  if (!generic && (body === "" || own.includes(body) || body.includes(own))) return own;
  if (body !== "") return generic || own === body ? body : oneLine(`${own}: ${body}`);
  return own === "" ? `no reason was given with status ${statusCode ?? "unknown"}` : own;
}

/** The message in a body of JSON, wherever the provider put it; a short plain text is taken as it is. */
function messageIn(body: string): string {
  if (/^\s*</.test(body)) return "";
  try {
    const parsed: unknown = JSON.parse(body);
    return oneLine(findMessage(parsed) ?? "");
  } catch {
    return oneLine(body);
  }
}

function findMessage(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { message, error, detail } = value as { message?: unknown; error?: unknown; detail?: unknown };
  return findMessage(message) ?? findMessage(error) ?? findMessage(detail);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 300);
}

/** Milliseconds from `retry-after-ms` or `retry-after`, given in seconds or as a date. Absurd values are no answer. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: Date): number | undefined {
  const precise = Number(headers["retry-after-ms"]);
  if (headers["retry-after-ms"] !== undefined && precise >= 0 && Number.isFinite(precise)) return precise;
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function failed(code: ConstructorParameters<typeof IkigaiError>[0], message: string, hint: string): Diagnosis {
  return { retry: false, overflow: false, error: new IkigaiError(code, message, { hint }) };
}

function isNetworkError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code } = thrown as NodeJS.ErrnoException;
  if (thrown.name === "TimeoutError" || thrown instanceof TypeError) return true;
  return code !== undefined ? /^(E|UND_ERR)/.test(code) : isNetworkError(thrown.cause);
}

/** Message of a failure. What a provider reports in the middle of a stream is no error object, but the text of one. */
function saidIn(thrown: unknown): string {
  const said = typeof thrown === "object" && thrown !== null && "message" in thrown ? thrown.message : thrown;
  return typeof said === "string" ? said : messageOf(thrown);
}

function isOverload(thrown: unknown): boolean {
  if (thrown instanceof Error || typeof thrown !== "object" || thrown === null) return false;
  return "type" in thrown && typeof thrown.type === "string" && PASSING.test(thrown.type);
}

/** A chunk that was no event: the stream is not to be trusted, and asking again may help. */
function isBadStream(thrown: unknown): boolean {
  return thrown instanceof Error && /JSONParse|TypeValidation|InvalidResponse|EmptyResponse/.test(thrown.name);
}
