import type { IncomingMessage } from "node:http";
import type { HttpRefusal } from "./http-guard.ts";

export type HttpBody = { readonly refusal?: undefined; readonly value: unknown } | { readonly refusal: HttpRefusal };

const PARSE_ERROR = -32_700;

/**
 * The JSON that a request carries.
 *
 * Contract: reads no more than `limit` bytes; a body that is longer, or no JSON, is a refusal. `value` is `undefined`
 * for a method that carries none.
 */
export async function readHttpBody(request: IncomingMessage, limit: number): Promise<HttpBody> {
  if (request.method !== "POST") return { value: undefined };
  const tooLarge = { refusal: { status: 413, message: `A body may have at most ${limit} bytes` } };
  if (Number(request.headers["content-length"] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
  } catch {
    return { refusal: { status: 400, message: "The body is not JSON", code: PARSE_ERROR } };
  }
}
