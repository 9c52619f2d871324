import { createHash } from "node:crypto";
import { type DataBlock, type DataBlockDefinition, defineDataBlock, IkigaiError } from "@ikigai/core";
import { createCachedFetch } from "./cached-fetch.ts";
import { type HttpSourceOptions, httpSourceOptions } from "./options.ts";
import { encodePath, readIndex } from "./read-index.ts";

const MAX_BYTES = 5 * 1024 * 1024;
const CACHE_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * A web directory or a JSON API, to be read.
 *
 * Contract: every request goes to the origin of `url`; an answer that cannot be had is an error, never absent text.
 */
export const httpSource: DataBlockDefinition<HttpSourceOptions, never> = defineDataBlock({
  name: "http",
  capabilities: [],
  options: httpSourceOptions,
  guidance: (mount) => `${mount}:/// holds documents of a web server. They can be read and not changed.`,
  open: async (options: HttpSourceOptions) => openHttpSource(options),
});

function openHttpSource(options: HttpSourceOptions): DataBlock {
  const { headers = {}, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = options;
  const { maxAgeMs = 0, cacheBytes = CACHE_BYTES, document = "{path}", pathField = "path" } = options;
  const base = new URL(options.url.endsWith("/") ? options.url : `${options.url}/`);
  const get = createCachedFetch({ headers, maxBytes, timeoutMs, maxAgeMs, cacheBytes });
  const place = { base, index: new URL(options.index ?? "", base), items: options.items, pathField };
  return {
    async read(path, { signal } = {}) {
      const answer = await get(
        new URL(
          document.replaceAll("{path}", () => encodePath(path)),
          base,
        ),
        signal,
      );
      if (answer === undefined) return undefined;
      const text = decode(answer.body);
      if (text === undefined) {
        throw new IkigaiError("unsupported", `"${path}" is not UTF-8 text`, { hint: "Choose a text document." });
      }
      return { text, version: createHash("sha256").update(text).digest("base64url").slice(0, 22) };
    },
    async *list(prefix, { signal } = {}) {
      for (const path of await readIndex(place, get, signal)) if (path.startsWith(prefix)) yield { path };
    },
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(body: Buffer): string | undefined {
  try {
    return body.includes(0) ? undefined : utf8.decode(body);
  } catch {
    return undefined;
  }
}
