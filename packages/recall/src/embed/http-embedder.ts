import { IkigaiError, messageOf } from "@ikigai/core";
import type { Embedder } from "./embedder.ts";

export interface HttpEmbedderOptions {
  /** Base of an OpenAI-compatible API, such as `https://api.openai.com/v1` or `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly dimensions: number;
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Milliseconds for one request. Default 60,000. */
  readonly timeoutMs?: number;
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
}

const TIMEOUT_MS = 60_000;

/** An embedder behind any endpoint that speaks OpenAI's `POST /embeddings`. */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { url, model, dimensions, apiKey, timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch } = options;
  const endpoint = `${url.replace(/\/+$/, "")}/embeddings`;
  return {
    id: `${model}@${dimensions}`,
    dimensions,
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
        throw unreachable(endpoint, messageOf(cause), cause);
      }
      if (!answer.ok) throw unreachable(endpoint, `it answered ${answer.status}`);
      return vectorsOf(endpoint, await answer.json().catch(() => undefined));
    },
  };
}

function vectorsOf(endpoint: string, body: unknown): readonly Float32Array[] {
  const { data } = (body ?? {}) as { data?: readonly { index?: number; embedding?: readonly number[] }[] };
  if (!Array.isArray(data)) throw unreachable(endpoint, "its answer has no list of vectors");
  const sorted = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  return sorted.map(({ embedding }) => Float32Array.from(embedding ?? []));
}

function unreachable(endpoint: string, why: string, cause?: unknown): IkigaiError {
  return new IkigaiError("unavailable", `The embedding endpoint ${endpoint} failed: ${why}`, {
    hint: "Check the address, the model and the key; search goes on without meaning until then.",
    cause,
  });
}
