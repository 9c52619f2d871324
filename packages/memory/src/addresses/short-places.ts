import { type AnyTool, IkigaiError, type PlanContext } from "@ikigai/core";
import { oncePerInput, type SourceManager } from "@ikigai/core/host";
import { callOptions } from "../files/file-access.ts";
import { type ExpandArguments, type PlaceUse, SHORT_ARGUMENTS } from "./short-arguments.ts";

/** Folders of the store whose texts have short addresses. */
const STORE_FOLDERS: ReadonlySet<string> = new Set(["blocks", "skills", "preferences", "prefs"]);

export interface ShortPlacesOptions {
  readonly sources: SourceManager;
  /** The mount of stored assets. */
  readonly assetMount: string;
  /** The mount of bare paths. */
  readonly workspace: string;
  /** Whether a block is called exactly so. Default: none is. */
  readonly isLabel?: (text: string, context: PlanContext) => Promise<boolean>;
}

/** A place in full, and the addresses that were looked at to find it. */
interface Expanded {
  readonly place: string;
  readonly looked: readonly string[];
}

/** Lets a stored text be named by its path alone, such as `blocks/decisions` for `ikigai:///blocks/decisions.md`. */
export interface ShortPlaces {
  /**
   * The place that `text` means, in full where it is short.
   *
   * Contract: a path that is not in a folder of the store, an address, and a path that begins with `./` stay as they are.
   * A file of the workspace is meant before a stored text, and the label of a block before both. `ambiguous` when a
   * change could land in either. Without a workspace a short address is one of the store.
   */
  expand(text: string, use: PlaceUse, context: PlanContext): Promise<Expanded>;
  /** The tool, with short addresses where it takes a place. Contract: what runs is what was declared. */
  shorten(tool: AnyTool): AnyTool;
}

export function createShortPlaces({ sources, assetMount, workspace, isLabel }: ShortPlacesOptions): ShortPlaces {
  const hasWorkspace = (): boolean => sources.status().some(({ mount }) => mount === workspace);
  const store: StorePlaces = { sources, assetMount, hasWorkspace };

  async function expand(text: string, use: PlaceUse, context: PlanContext): Promise<Expanded> {
    const path = shortPath(text);
    if (path === undefined) return { place: text, looked: [] };
    if (use === "label" && (await isLabel?.(text, context)) === true) return { place: text, looked: [] };
    const look = createLook(sources, context);
    const place =
      use === "folder" ? await findFolder(store, text, path, look) : await findText(store, text, path, use, look);
    return { place, looked: look.looked };
  }

  function shorten(tool: AnyTool): AnyTool {
    const expandArguments = SHORT_ARGUMENTS[tool.name];
    if (expandArguments === undefined) return tool;
    const expanded = oncePerInput((input: Record<string, unknown>, context: PlanContext) =>
      expandInput(input, expandArguments, context),
    );
    const { preview } = tool;
    return {
      ...tool,
      async effects(given, context) {
        const { input, looked } = await expanded(given, context);
        const effects = await tool.effects(input, context);
        const declared = new Set(effects.filter(({ action }) => action === "read").map(({ target }) => target));
        const reads = looked.filter((target) => !declared.has(target));
        return [...reads.map((target) => ({ action: "read" as const, target })), ...effects];
      },
      ...(preview !== undefined && {
        preview: async (given, context) => preview.call(tool, (await expanded(given, context)).input, context),
      }),
      run: async (given, context) => tool.run((await expanded(given, context)).input, context),
    };
  }

  async function expandInput(
    given: Record<string, unknown>,
    expandArguments: ExpandArguments,
    context: PlanContext,
  ): Promise<ExpandedInput> {
    const looked: string[] = [];
    const input = await expandArguments(given, {
      hasWorkspace: hasWorkspace(),
      async expand(text, use) {
        const found = await expand(text, use, context);
        looked.push(...found.looked);
        return found.place;
      },
    });
    return { input, looked: [...new Set(looked)] };
  }

  return { expand, shorten };
}

/** Where a short address may lead. */
interface StorePlaces extends Pick<ShortPlacesOptions, "sources" | "assetMount"> {
  readonly hasWorkspace: () => boolean;
}

async function findFolder(
  { assetMount, hasWorkspace }: StorePlaces,
  text: string,
  path: string,
  look: Look,
): Promise<string> {
  if ((await look.hasFolder(path)) || (path.includes("/") && (await look.isThere(path)))) return text;
  const stored = `${assetMount}:///${path}`;
  if (await look.hasFolder(stored)) return stored;
  return (
    (path.includes("/") ? await findStored(assetMount, path, look) : undefined) ?? (hasWorkspace() ? text : stored)
  );
}

async function findText(store: StorePlaces, text: string, path: string, use: PlaceUse, look: Look): Promise<string> {
  const { sources, assetMount, hasWorkspace } = store;
  if (!path.includes("/")) return text;
  const isFile = await look.isThere(path);
  if (isFile && (use === "read" || use === "label")) return text;
  const stored = await findStored(assetMount, path, look);
  if (isFile && stored !== undefined) throw ambiguousPlace(text, sources.route(path).uri, stored, "both are there");
  if (isFile || stored !== undefined) return stored ?? text;
  if (use !== "create" || (await look.hasFolder(path.slice(0, path.indexOf("/"))))) return text;
  const address = `${assetMount}:///${path}`;
  // Without a workspace a short address can only mean a stored text.
  if (!hasWorkspace()) return address;
  throw ambiguousPlace(text, sources.route(path).uri, address, "neither is there yet");
}

async function findStored(assetMount: string, path: string, look: Look): Promise<string | undefined> {
  for (const candidate of path.endsWith(".md") ? [path] : [path, `${path}.md`]) {
    const address = `${assetMount}:///${candidate}`;
    if (await look.isThere(address)) return address;
  }
  return undefined;
}

interface ExpandedInput {
  readonly input: Record<string, unknown>;
  readonly looked: readonly string[];
}

/** Looks for texts and folders, and keeps where it looked. */
interface Look {
  readonly looked: string[];
  /** Contract: a text that cannot be read as text is there all the same; one in a place that cannot be asked is not. */
  isThere(place: string): Promise<boolean>;
  hasFolder(place: string): Promise<boolean>;
}

function createLook(sources: SourceManager, context: PlanContext): Look {
  const looked: string[] = [];
  return {
    looked,
    async isThere(place) {
      try {
        const { source, address, uri } = sources.route(place);
        looked.push(uri);
        return (await source.read(address.path, callOptions(context))) !== undefined;
      } catch (error) {
        if (!IkigaiError.is(error)) throw error;
        return error.code !== "unavailable" && error.code !== "not_found";
      }
    },
    async hasFolder(place) {
      try {
        const { source, address, uri } = sources.routePrefix(place);
        looked.push(uri);
        for await (const _ of source.list(`${address.path}/`, callOptions(context))) return true;
      } catch (error) {
        if (!IkigaiError.is(error)) throw error;
      }
      return false;
    },
  };
}

/** The path in the store that a text could be short for. Absent: it says itself where it is. */
export function shortPath(text: string): string | undefined {
  if (text.includes("://") || text.includes("\\") || text.includes("\0")) return undefined;
  const segments = text.replace(/\/+$/, "").split("/");
  const isPlain = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isPlain && STORE_FOLDERS.has(segments[0] ?? "") ? segments.join("/") : undefined;
}

/** Contract: names both addresses, so that either can be written. */
export function ambiguousPlace(text: string, file: string, stored: string, why: string): IkigaiError {
  return new IkigaiError("ambiguous", `${text} could be a file of the workspace or a memory text, and ${why}`, {
    hint: `Write ${file} or ${stored}.`,
    details: { candidates: [file, stored] },
  });
}
