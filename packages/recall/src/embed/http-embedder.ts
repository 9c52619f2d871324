import { IkigaiError, messageOf } from "@ikigai/core";
import type { Embedder } from "@ikigai/core/host";

export interface HttpEmbedderOptions {
  /** Base of an OpenAI-compatible API, such as `https://api.openai.com/v1` or `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly dimensions: number;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Weight of the best similarity beside the best match by words. Default: that of {@link Embedder}. */
  readonly weight?: number;
  /** Milliseconds for one request. Default 60,000. */
  readonly timeoutMs?: number;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
}

const TIMEOUT_MS = 60_000;
const SAID = 200;

/**
 * An embedder behind any endpoint that speaks OpenAI's `POST /embeddings`.
 *
 * Contract: a failure is `unavailable`, with the status and the wait that the endpoint asked for in its details; the
 * key is in no message.
 */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { url, model, dimensions, apiKey, weight, timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch } = options;
  const endpoint = `${url.replace(/\/+$/, "")}/embeddings`;
  const shown = endpoint.replace(/\/\/[^/@]*@/, "//");
  return {
    id: `${model}@${dimensions}`,
    dimensions,
    ...(weight !== undefined && { weight }),
    async embed(texts, signal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      let answer: Response;
      try {
        answer = await fetch(endpoint, {
          method: "POST",
          headers: { "content-type": "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
          body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
      } catch (cause) {
        signal?.throwIfAborted();
        throw unreachable(shown, reasonOf(cause), { cause });
      }
      if (!answer.ok) throw await refused(shown, model, answer, apiKey);
      return vectorsOf(shown, await answer.json().catch(() => undefined));
    },
  };
}

function vectorsOf(endpoint: string, body: unknown): readonly Float32Array[] {
  const { data } = (body ?? {}) as { data?: readonly { index?: number; embedding?: readonly number[] }[] };
  if (!Array.isArray(data)) throw unreachable(endpoint, "its answer has no list of vectors");
  const sorted = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return sorted.map(({ embedding }) => Float32Array.from(embedding ?? []));
}

/** The platform says "fetch failed" and keeps the reason one level below. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { readonly message?: string; readonly code?: string } };
  return cause?.message || cause?.code || messageOf(error);
}

async function refused(
  endpoint: string,
  model: string,
  answer: Response,
  apiKey: string | undefined,
): Promise<IkigaiError> {
  const { status } = answer;
  const text = await answer.text().catch(() => "");
  const said = messageIn(text).slice(0, SAID);
  const why = apiKey === undefined || apiKey === "" ? said : said.replaceAll(apiKey, "…");
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return unreachable(endpoint, `it answered ${status}${why === "" ? "" : ` (${why})`}`, {
    hint: hintFor(status, model, apiKey),
    details: { status, ...(seconds >= 0 && { retry_after_ms: seconds * 1_000 }) },
  });
}

/** What an OpenAI-compatible endpoint says of a failure; nothing when it says it in another way. */
function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string };
    const message = typeof error === "string" ? error : error?.message;
    return typeof message === "string" ? message : "";
  } catch {
    return "";
  }
}

function hintFor(status: number, model: string, apiKey: string | undefined): string {
  if (status === 401 || status === 403)
    return apiKey ? "Check the key; this one is not accepted." : "Give the key that the endpoint asks for.";
  if (status === 404) return `Check the base URL and that the endpoint has a model ${JSON.stringify(model)}.`;
  if (status === 429) return "Wait, or use a smaller batch.";
  return CHECK;
}

const CHECK = "Check the address, the model and the key; search goes on without meaning until then.";

function unreachable(
  endpoint: string,
  why: string,
  { hint = CHECK, ...rest }: { hint?: string; details?: Record<string, unknown>; cause?: unknown } = {},
): IkigaiError {
  return new IkigaiError("unavailable", `The embedding endpoint ${endpoint} failed: ${why}`, { hint, ...rest });
}
