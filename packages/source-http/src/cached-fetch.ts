import { IkigaiError } from "@ikigai/core";
import { type Answer, fetchLimited, type FetchLimits } from "./fetch-limited.ts";

export interface CacheLimits extends FetchLimits {
  readonly maxAgeMs: number;
  readonly cacheBytes: number;
}

/** Contract: `undefined` for what the server does not have. */
export type GetAnswer = (url: URL, signal?: AbortSignal) => Promise<Answer | undefined>;

interface Kept {
  readonly answer: Answer;
  at: number;
}

const ABSENT: ReadonlySet<number> = new Set([404, 410]);
const FORBIDDEN: ReadonlySet<number> = new Set([401, 403]);

/** Gets answers, and asks with `If-None-Match` or `If-Modified-Since` for those it had before. */
export function createCachedFetch(limits: CacheLimits, now: () => number = Date.now): GetAnswer {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.answer.body.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, answer: Answer): void {
    forget(key);
    if (answer.body.length > limits.cacheBytes || /\bno-store\b/i.test(answer.headers.get("cache-control") ?? ""))
      return;
    kept.set(key, { answer, at: now() });
    bytes += answer.body.length;
    for (const oldest of kept.keys()) {
      if (bytes <= limits.cacheBytes) return;
      forget(oldest);
    }
  }

  return async (url, signal) => {
    const known = kept.get(url.href);
    if (known !== undefined && now() - known.at < limits.maxAgeMs) return known.answer;
    const asked = known === undefined ? {} : validators(known.answer);
    const answer = await fetchLimited(url, { ...limits, headers: { ...limits.headers, ...asked } }, signal);
    if (answer.status === 304 && known !== undefined) {
      known.at = now();
      return known.answer;
    }
    forget(url.href);
    if (ABSENT.has(answer.status)) return undefined;
    if (answer.status !== 200) throw refused(url, answer.status);
    keep(url.href, answer);
    return answer;
  };
}

function validators({ headers }: Answer): Record<string, string> {
  const [tag, date] = [headers.get("etag"), headers.get("last-modified")];
  if (tag !== null) return { "if-none-match": tag };
  return date === null ? {} : { "if-modified-since": date };
}

function refused(url: URL, status: number): IkigaiError {
  if (FORBIDDEN.has(status)) {
    return new IkigaiError("permission_denied", `${url.href} answered ${status}`, {
      hint: "Check the headers in the options of this mount.",
    });
  }
  return new IkigaiError("unavailable", `${url.href} answered ${status}`, { hint: "Try again later." });
}
