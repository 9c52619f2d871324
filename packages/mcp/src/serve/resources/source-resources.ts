import { pathToFileURL } from "node:url";
import { type Address, IkigaiError } from "@ikigai/core";
import { decidingReason, HOST_MOUNT, type Policy, type SourceManager } from "@ikigai/core/host";
import { completePath } from "./complete-path.ts";
import { listPage } from "./list-page.ts";
import type { Complete } from "./prompts.ts";
import { parseResourceUri, type ResourcePlace } from "./resource-uri.ts";
import type { Resources } from "./resources.ts";
import { createSilentMounts, type ListsAndReads } from "./silent-mounts.ts";
import { textParts } from "./text-parts.ts";
import { watchTexts } from "./watch-texts.ts";

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
const WAIT_MS = 10_000;

/**
 * The texts of mounted sources as MCP resources.
 *
 * Contract: never more than a page or `maxChars` at once; a text that is cut says where it goes on.
 */
export function sourceResources(options: SourceResourcesOptions): Resources & { readonly complete: Complete } {
  const { sources, policy, folders = [], isListed = () => true, pageSize = PAGE_SIZE, maxChars = MAX_CHARS } = options;
  const { waitMs = WAIT_MS, now = Date.now, warn = () => {} } = options;
  const isFolder = (mount: string): boolean => folders.some((folder) => folder.mount === mount);
  const readerOf = (mount: string): ListsAndReads => sources.readerWithin(mount, waitMs);
  const listListeners = new Set<() => void>();
  const listChanged = (): void => {
    for (const listener of listListeners) listener();
  };
  const silent = createSilentMounts({ readerOf, now, warn, onAnswer: listChanged });

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
    async list(cursor, call) {
      return listPage({ mounts: offered().filter(isListed), cursor, pageSize, readerOf, silent }, call);
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
      if (content !== undefined) return textParts(content.text, { uri, address: route.address, offset }, maxChars);
      if (isFolder(address.mount)) throw noSuchFile(uri, folders);
      return undefined;
    },
    onUpdate: (listener) => watchTexts({ ...options, warn, offered, folders, isListed, listChanged }, listener),
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
    async complete({ of, name, value }, call) {
      const mount = "template" in of && name === "path" ? /^(.*):\/\/\/\{\+path\}$/.exec(of.template)?.[1] : undefined;
      if (mount === undefined || !offered().includes(mount) || silent.isLeftOut(mount)) return [];
      try {
        return await completePath(readerOf(mount), value, call);
      } catch (error) {
        silent.leaveOut(mount, error);
        return [];
      }
    },
  };
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
