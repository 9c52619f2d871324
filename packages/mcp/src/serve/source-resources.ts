import {
  decidingReason,
  type Address,
  type BlockEntry,
  HOST_MOUNT,
  IkigaiError,
  messageOf,
  type Policy,
  type SourceManager,
} from "@ikigai/core";
import type { Complete } from "./prompts.ts";
import { parseResourceUri, toResourceUri } from "./resource-uri.ts";
import type { ResourceCallOptions, ResourceCard, ResourcePart, Resources } from "./resources.ts";

export interface SourceResourcesOptions {
  readonly sources: SourceManager;
  /** The mounts to offer, asked at each request. Default: every source of text but the host's files. */
  readonly mounts?: () => readonly string[];
  /** Judges each read, as it would for a tool. Absent: what is offered may be read. */
  readonly policy?: Policy;
  /** Tells when sources were mounted or unmounted. */
  readonly onMountsChange?: (listener: () => void) => Disposable;
  /** Resources on a page. Default 100. */
  readonly pageSize?: number;
  /** Characters of text in one answer. Default 100,000. */
  readonly maxChars?: number;
  /** Told what the operator should know. Must not throw. */
  readonly warn?: (message: string) => void;
}

const PAGE_SIZE = 100;
const MAX_CHARS = 100_000;
const MAX_COMPLETIONS = 101;
/** Names that are looked at to complete one. */
const MAX_LOOKED_AT = 20_000;

/**
 * The texts of mounted sources as MCP resources.
 *
 * Contract: never more than a page or `maxChars` at once; a text that is cut says where it goes on.
 */
export function sourceResources(options: SourceResourcesOptions): Resources & { readonly complete: Complete } {
  const { sources, policy, pageSize = PAGE_SIZE, maxChars = MAX_CHARS } = options;
  const listListeners = new Set<() => void>();
  const listChanged = (): void => {
    for (const listener of listListeners) listener();
  };

  function offered(): readonly string[] {
    const blocks = sources.status().filter(({ kind, mount }) => kind === "block" && mount !== HOST_MOUNT);
    const chosen = options.mounts?.();
    return blocks.map(({ mount }) => mount).filter((mount) => chosen?.includes(mount) ?? true);
  }

  return {
    async list(cursor, { actor, signal }) {
      const mounts = offered();
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const start = after === undefined ? 0 : mounts.indexOf(after.mount);
      if (start === -1) throw unknownCursor();
      const items: ResourceCard[] = [];
      for (const mount of mounts.slice(start)) {
        const { source } = sources.routePrefix(`${mount}:///`);
        try {
          for await (const entry of source.list("", { actor, signal })) {
            if (mount === after?.mount && compare(entry.path, after.path) <= 0) continue;
            if (items.length === pageSize) return { items, nextCursor: toCursor(items.at(-1) as ResourceCard) };
            items.push(toCard({ mount, path: entry.path }, entry));
          }
        } catch (error) {
          skipUnavailable(mount, error);
        }
      }
      return { items };
    },
    templates: () =>
      offered().map((mount) => ({
        uriTemplate: `${mount}:///{+path}`,
        name: mount,
        description: `A text in ${mount}. Append ?offset=NUMBER to go on behind that many characters.`,
      })),
    async read(uri, { actor, signal }) {
      const { address, offset } = parseResourceUri(uri);
      if (!offered().includes(address.mount)) return undefined;
      const route = sources.route(`${address.mount}:///${address.path}`);
      const verdict = await policy?.judge({ action: "read", target: route.uri }, actor);
      if (verdict !== undefined && verdict.decision !== "allow") {
        throw new IkigaiError("permission_denied", `${route.uri} may not be read: ${decidingReason(verdict)}`);
      }
      const content = await route.source.read(route.address.path, { actor, signal });
      return content === undefined ? undefined : partsOf(content.text, route.address, offset, maxChars);
    },
    onUpdate(listener) {
      const stopping = new AbortController();
      const watched = new Set<string>();
      const watchAll = (): void => {
        for (const { mount, capabilities } of sources.status()) {
          if (!capabilities.includes("watch") || watched.has(mount) || !offered().includes(mount)) continue;
          watched.add(mount);
          watch(mount, stopping.signal, listener)
            .catch((error: unknown) => options.warn?.(`${mount} is no longer watched: ${messageOf(error)}`))
            .finally(() => watched.delete(mount));
        }
      };
      watchAll();
      const mounts = options.onMountsChange?.(watchAll);
      return {
        [Symbol.dispose]() {
          mounts?.[Symbol.dispose]();
          stopping.abort();
        },
      };
    },
    onListChange(listener) {
      listListeners.add(listener);
      const mounts = options.onMountsChange?.(listener);
      return {
        [Symbol.dispose]() {
          listListeners.delete(listener);
          mounts?.[Symbol.dispose]();
        },
      };
    },
    async complete({ of, name, value }, { actor, signal }) {
      const mount = "template" in of && name === "path" ? /^(.*):\/\/\/\{\+path\}$/.exec(of.template)?.[1] : undefined;
      if (mount === undefined || !offered().includes(mount)) return [];
      return completions(mount, value, { actor, signal }).catch((error: unknown) => {
        skipUnavailable(mount, error);
        return [];
      });
    },
  };

  /** One place that is down must not take the others with it. */
  function skipUnavailable(mount: string, error: unknown): void {
    if (!IkigaiError.is(error, "unavailable")) throw error;
    options.warn?.(`${mount} is left out of the list of resources: ${messageOf(error)}`);
  }

  async function completions(mount: string, value: string, call: ResourceCallOptions): Promise<string[]> {
    const found: string[] = [];
    const { source } = sources.routePrefix(`${mount}:///`);
    for await (const { path } of source.list(value, call)) {
      found.push(path);
      if (found.length === MAX_COMPLETIONS) return found;
    }
    if (value === "" || value.includes("/")) return found;
    // What is typed may also be the beginning of a name in some folder.
    let looked = 0;
    const typed = value.toLowerCase();
    for await (const { path } of source.list("", call)) {
      const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
      if (name.startsWith(typed) && !path.startsWith(value)) found.push(path);
      if (found.length === MAX_COMPLETIONS || ++looked === MAX_LOOKED_AT) break;
    }
    return found;
  }

  async function watch(mount: string, signal: AbortSignal, listener: (uri: string) => void): Promise<void> {
    const { source } = sources.routePrefix(`${mount}:///`);
    for await (const { path, change } of source.watch?.({ signal }) ?? []) {
      listener(toResourceUri({ mount, path }));
      if (change !== "updated") listChanged();
    }
  }
}

function toCard(address: Address, { bytes }: BlockEntry): ResourceCard {
  const name = address.path.split("/").at(-1) as string;
  return {
    uri: toResourceUri(address),
    name,
    mimeType: mimeTypeOf(address.path),
    ...(bytes !== undefined && { size: bytes }),
  };
}

function mimeTypeOf(path: string): string {
  return path.endsWith(".md") ? "text/markdown" : "text/plain";
}

function partsOf(text: string, address: Address, offset: number, maxChars: number): ResourcePart[] {
  if (offset > text.length) {
    throw new IkigaiError("invalid_input", `${address.path} has ${text.length} characters, offset ${offset} is behind`);
  }
  const end = endOf(text, offset, maxChars);
  const part = {
    uri: toResourceUri(address, offset),
    mimeType: mimeTypeOf(address.path),
    text: text.slice(offset, end),
  };
  if (end >= text.length) return [part];
  const uri = toResourceUri(address, end);
  const said = `[Characters ${offset} to ${end} of ${text.length} were shown. Read ${uri} to go on.]`;
  return [part, { uri, mimeType: "text/plain", text: said }];
}

/** Where a part ends: behind a line where that wastes less than half, and never inside a character. */
function endOf(text: string, offset: number, maxChars: number): number {
  const end = offset + maxChars;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (line > offset + maxChars / 2) return line;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

function toCursor({ uri }: ResourceCard): string {
  return Buffer.from(uri).toString("base64url");
}

function parseCursor(cursor: string): Address {
  try {
    return parseResourceUri(Buffer.from(cursor, "base64url").toString("utf8")).address;
  } catch {
    throw unknownCursor();
  }
}

function unknownCursor(): IkigaiError {
  return new IkigaiError("invalid_input", "The cursor belongs to no list", { hint: "List again from the start." });
}

/** The order of sources is that of code points, which is the order of their bytes in UTF-8. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
