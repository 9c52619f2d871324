import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Address, type TextEntry, type TextReader, IkigaiError, messageOf } from "@ikigai/core";
import { decidingReason, HOST_MOUNT, type Policy, type SourceManager } from "@ikigai/core/host";
import type { Complete } from "./prompts.ts";
import { parseResourceUri, type ResourcePlace, toResourceUri } from "./resource-uri.ts";
import type { ResourceCallOptions, ResourceCard, ResourcePart, Resources } from "./resources.ts";

export interface SourceResourcesOptions {
  readonly sources: SourceManager;
  /** The mounts to offer, asked at each request. Default: every source of text but the host's files. */
  readonly mounts?: () => readonly string[];
  /** Which of the mounts are listed, and not only read. Default: all. */
  readonly isListed?: (mount: string) => boolean;
  /**
   * Mounts whose texts are files of these folders, and so are read by the real URIs of the files too. A mount may stand
   * here with several folders that lead to the same files. Default: none.
   */
  readonly folders?: readonly { readonly mount: string; readonly root: string }[];
  /** Judges each read, as it would for a tool. Absent: what is offered may be read. */
  readonly policy?: Policy;
  /** Tells when sources were mounted or unmounted. */
  readonly onMountsChange?: (listener: () => void) => Disposable;
  /** Resources on a page. Default 100. */
  readonly pageSize?: number;
  /** Characters of text in one answer. Default 100,000. */
  readonly maxChars?: number;
  /** Milliseconds that a mount may take for its next answer. Default 10,000. */
  readonly waitMs?: number;
  /** The time, in milliseconds. Default: the machine's. */
  readonly now?: () => number;
  /** Receives warnings for the operator. Must not throw. */
  readonly warn?: (message: string) => void;
}

const PAGE_SIZE = 100;
const MAX_CHARS = 100_000;
const MAX_COMPLETIONS = 101;
const WAIT_MS = 10_000;
/** A mount that did not answer is not waited for again before. */
const RETRY_AFTER_MS = 30_000;
/** Names that are looked at to complete one. */
const MAX_LOOKED_AT = 20_000;

/**
 * The texts of mounted sources as MCP resources.
 *
 * Contract: never more than a page or `maxChars` at once; a text that is cut says where it goes on.
 */
export function sourceResources(options: SourceResourcesOptions): Resources & { readonly complete: Complete } {
  const { sources, policy, folders = [], isListed = () => true, pageSize = PAGE_SIZE, maxChars = MAX_CHARS } = options;
  const isFolder = (mount: string): boolean => folders.some((folder) => folder.mount === mount);
  const now = options.now ?? Date.now;
  /** When each mount that did not answer was given up. */
  const silentSince = new Map<string, number>();
  const listListeners = new Set<() => void>();
  const listChanged = (): void => {
    for (const listener of listListeners) listener();
  };

  function offered(): readonly string[] {
    const blocks = sources.status().filter(({ kind, mount }) => kind === "block" && mount !== HOST_MOUNT);
    const chosen = options.mounts?.();
    return blocks.map(({ mount }) => mount).filter((mount) => chosen?.includes(mount) ?? true);
  }

  /** Where a text is, by the real URI of a file or by an address. */
  function placeOf(uri: string): ResourcePlace {
    const { address, offset } = parseResourceUri(uri);
    return { address: (address.mount === "file" && fileAddress(address.path, folders)) || address, offset };
  }

  return {
    async list(cursor, { actor, signal }) {
      const mounts = offered().filter(isListed);
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const start = after === undefined ? 0 : mounts.indexOf(after.mount);
      if (start === -1) throw unknownCursor();
      const items: ResourceCard[] = [];
      for (const mount of mounts.slice(start)) {
        if (isSilent(mount)) continue;
        try {
          for await (const entry of readerOf(mount).list("", { actor, signal })) {
            if (mount === after?.mount && compare(entry.path, after.path) <= 0) continue;
            if (items.length === pageSize) return { items, nextCursor: toCursor(items.at(-1) as ResourceCard) };
            items.push(toCard({ mount, path: entry.path }, entry));
          }
          silentSince.delete(mount);
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
        description: `${isFolder(mount) ? "A file in" : "A text in"} ${mount}. Append ?offset=NUMBER to go on behind that many characters.`,
      })),
    async read(uri, { actor, signal }) {
      const { address, offset } = placeOf(uri);
      if (!offered().includes(address.mount)) return undefined;
      const route = sources.route(`${address.mount}:///${address.path}`);
      const verdict = await policy?.judge({ action: "read", target: route.uri }, actor);
      if (verdict !== undefined && verdict.decision !== "allow") {
        throw new IkigaiError("permission_denied", `${route.uri} may not be read: ${decidingReason(verdict)}`);
      }
      const content = await readerOf(address.mount).read(route.address.path, { actor, signal });
      if (content !== undefined) return partsOf(content.text, { uri, address: route.address, offset }, maxChars);
      if (isFolder(address.mount)) throw noSuchFile(uri, folders);
      return undefined;
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
      if (mount === undefined || !offered().includes(mount) || isSilent(mount)) return [];
      return completions(mount, value, { actor, signal }).catch((error: unknown) => {
        skipUnavailable(mount, error);
        return [];
      });
    },
  };

  function readerOf(mount: string): Pick<TextReader, "list" | "read"> {
    return sources.readerWithin(mount, options.waitMs ?? WAIT_MS);
  }

  /** Whether a mount is left out. Contract: one that is due is tried again beside the call, which does not wait for it. */
  function isSilent(mount: string): boolean {
    const since = silentSince.get(mount);
    if (since === undefined) return false;
    if (now() - since >= RETRY_AFTER_MS) {
      silentSince.set(mount, now());
      void tryAgain(mount);
    }
    return true;
  }

  async function tryAgain(mount: string): Promise<void> {
    try {
      for await (const _ of readerOf(mount).list("")) break;
      silentSince.delete(mount);
      listChanged();
    } catch {
      // The mount stays left out until it is due to be tried again.
    }
  }

  /** Reports a mount that cannot be listed: one that is down, or never answers, must not take the others with it. */
  function skipUnavailable(mount: string, error: unknown): void {
    const isTold = silentSince.has(mount);
    if (IkigaiError.is(error, "timeout")) silentSince.set(mount, now());
    else if (!IkigaiError.is(error, "unavailable")) throw error;
    if (isTold) return;
    options.warn?.(`${mount} is left out of the list of resources: ${messageOf(error)}`);
  }

  async function completions(mount: string, value: string, call: ResourceCallOptions): Promise<string[]> {
    const found: string[] = [];
    const source = readerOf(mount);
    for await (const { path } of source.list(value, call)) {
      found.push(path);
      if (found.length === MAX_COMPLETIONS) return found;
    }
    if (value === "" || value.includes("/")) return found;
    // The typed text may also be the beginning of a name in some folder.
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
      if (change !== "updated" && isListed(mount)) listChanged();
      for (const { root } of folders.filter((folder) => folder.mount === mount)) {
        listener(pathToFileURL(join(root, path)).href);
      }
    }
  }
}

function toCard(address: Address, { bytes }: TextEntry): ResourceCard {
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

/** Where the file at `path`, without its first slash, lies in a mount. Absent: in none of the folders. */
function fileAddress(path: string, folders: NonNullable<SourceResourcesOptions["folders"]>): Address | undefined {
  for (const { mount, root } of folders) {
    const { pathname } = pathToFileURL(root);
    const prefix = `${decodeURIComponent(pathname).replace(/^\//, "").replace(/\/$/, "")}/`;
    if (path.startsWith(prefix)) return { mount, path: path.slice(prefix.length) };
  }
  return undefined;
}

function noSuchFile(uri: string, folders: NonNullable<SourceResourcesOptions["folders"]>): IkigaiError {
  return new IkigaiError("not_found", `${JSON.stringify(uri.slice(0, 200))} is no file of the workspace`, {
    hint: `Files are read below ${[...new Set(folders.map(({ root }) => pathToFileURL(root).href))].join(", ")}.`,
  });
}

/** Contract: a text that is read as a whole keeps the URI that was asked for. */
function partsOf(
  text: string,
  { uri: asked, address, offset }: ResourcePlace & { uri: string },
  maxChars: number,
): ResourcePart[] {
  if (offset > text.length) {
    throw new IkigaiError(
      "invalid_input",
      `${address.path} has ${text.length} characters, offset ${offset} is behind`,
      { hint: `Use an offset from 0 to ${text.length}.` },
    );
  }
  const end = endOf(text, offset, maxChars);
  const part = {
    uri: asked,
    mimeType: mimeTypeOf(address.path),
    text: text.slice(offset, end),
  };
  if (end >= text.length) return [part];
  const [file = ""] = asked.split("?", 1);
  const uri = `${file}?offset=${end}`;
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
