import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Why a request is turned away before it reaches the protocol. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC's. Default -32000. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpGuardOptions {
  readonly token: string;
  readonly path: string;
  /** Host names under which the server may be addressed. */
  readonly hosts: readonly string[];
}

/** Nothing but a name and a port: what a lenient reader would take for a user name, say, is refused. */
const HOST = /^([\w.-]+|\[[\da-fA-F:]+\])(?::\d{1,5})?$/;
const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/**
 * Decides on a request by its head alone.
 *
 * Contract: the token is compared in constant time; a page in a browser gets no further than its `Origin`; a name that
 * was made to point here gets no further than its `Host`.
 */
export function createHttpGuard({
  token,
  path,
  hosts,
}: HttpGuardOptions): (request: IncomingMessage) => HttpRefusal | undefined {
  const expected = digest(token);
  return ({ headers, url = "" }) => {
    if (!hosts.includes(HOST.exec(headers.host ?? "")?.[1]?.toLowerCase() ?? "")) {
      return { status: 403, message: "This server is reached under a local name only" };
    }
    if (headers.origin !== undefined && !hosts.includes(hostName(headers.origin) ?? "")) {
      return { status: 403, message: "Requests from this origin are not served" };
    }
    if (url.split("?", 1)[0] !== path) return { status: 404, message: `The endpoint is ${path}` };
    const given = BEARER.exec(headers.authorization ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return undefined;
    return {
      status: 401,
      message: "A bearer token is needed",
      headers: { "www-authenticate": given === undefined ? "Bearer" : 'Bearer error="invalid_token"' },
    };
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function hostName(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
