import { IkigaiError, messageOf } from "@ikigai/core";

/** A server's answer to one request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** Address that answered, after redirects. */
  readonly url: URL;
}

export interface FetchLimits {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Gets `url`.
 *
 * Contract: follows redirects within its origin only, so headers never reach another; rejects with `timeout`, `aborted`,
 * `permission_denied` (a redirect elsewhere), `unsupported` (too large) or `unavailable`.
 */
export async function fetchLimited(url: URL, limits: FetchLimits, signal?: AbortSignal): Promise<Answer> {
  const late = AbortSignal.timeout(limits.timeoutMs);
  const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
  try {
    let at = url;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const response = await fetch(at, { redirect: "manual", signal: stop, headers: { ...limits.headers } });
      const target = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
      if (target === null) {
        const body = await bodyOf(response, at, limits.maxBytes);
        return { status: response.status, headers: response.headers, body, url: at };
      }
      await response.body?.cancel();
      at = nextUrl(at, target);
    }
    throw new IkigaiError("unavailable", `${url.href} redirects more than ${MAX_REDIRECTS} times`, {
      hint: "Give the address that it finally leads to.",
    });
  } catch (cause) {
    if (IkigaiError.is(cause)) throw cause;
    if (signal?.aborted === true) throw new IkigaiError("aborted", "The call was aborted", { cause });
    if (late.aborted)
      throw new IkigaiError("timeout", `${url.href} took longer than ${limits.timeoutMs} ms`, {
        hint: "Try again, or raise the time limit of the source.",
        cause,
      });
    const reason = messageOf((cause as Error).cause ?? cause);
    throw new IkigaiError("unavailable", `${url.href} cannot be reached: ${reason}`, {
      hint: "Try again later, or check the url of this mount.",
      cause,
    });
  }
}

function nextUrl(from: URL, target: string): URL {
  const next = URL.canParse(target, from.href) ? new URL(target, from) : undefined;
  if (next?.origin === from.origin) return next;
  throw new IkigaiError("permission_denied", `${from.href} redirects to another place: ${target.slice(0, 200)}`, {
    hint: "Mount that place itself if it is to be read.",
  });
}

async function bodyOf(response: Response, url: URL, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new IkigaiError("unsupported", `${url.href} has more than the ${maxBytes} bytes that are read`, {
        hint: "Raise maxBytes in the options of this mount, or choose another document.",
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
