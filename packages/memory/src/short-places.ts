import { type AnyTool, IkigaiError, type PlanContext, type SourceManager } from "@ikigai/core";
import { callOptions } from "./file-access.ts";

/** Folders of the store whose texts have short addresses. */
const STORE_FOLDERS: ReadonlySet<string> = new Set(["blocks", "skills", "preferences", "prefs"]);

/** What a place is wanted for, which decides what a short address may mean. */
type Use = "read" | "change" | "create" | "folder";

/** The arguments of each tool that name places. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, Use>>>> = {
  file_read: { path: "read" },
  file_write: { path: "create" },
  file_edit: { path: "change" },
  file_delete: { path: "change" },
  file_move: { from: "change", to: "create" },
  undo: { path: "change" },
  grep: { path: "folder" },
  glob: { path: "folder" },
};

export interface ShortPlacesOptions {
  readonly sources: SourceManager;
  /** The mount of stored assets. */
  readonly assetMount: string;
  /** The mount of bare paths. */
  readonly workspace: string;
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
   * A file of the workspace is meant before a stored text. `ambiguous` when a change could land in either.
   */
  expand(text: string, use: Use, context: PlanContext): Promise<Expanded>;
  /** The tool, with short addresses where it takes a place. Contract: what runs is what was declared. */
  shorten(tool: AnyTool): AnyTool;
}

export function createShortPlaces({ sources, assetMount, workspace }: ShortPlacesOptions): ShortPlaces {
  async function expand(text: string, use: Use, context: PlanContext): Promise<Expanded> {
    const path = shortPath(text);
    if (path === undefined) return { place: text, looked: [] };
    const look = createLook(sources, context);
    const place = use === "folder" ? await findFolder(text, path, look) : await findText(text, path, use, look);
    return { place, looked: look.looked };
  }

  async function findFolder(text: string, path: string, look: Look): Promise<string> {
    if ((await look.hasFolder(path)) || (path.includes("/") && (await look.isThere(path)))) return text;
    const stored = `${assetMount}:///${path}`;
    if (await look.hasFolder(stored)) return stored;
    return (path.includes("/") ? await findStored(path, look) : undefined) ?? text;
  }

  async function findText(text: string, path: string, use: Use, look: Look): Promise<string> {
    if (!path.includes("/")) return text;
    const isFile = await look.isThere(path);
    if (isFile && use === "read") return text;
    const stored = await findStored(path, look);
    if (isFile && stored !== undefined) throw ambiguous(text, sources.route(path).uri, stored, "both are there");
    if (isFile || stored !== undefined) return stored ?? text;
    if (use !== "create" || (await look.hasFolder(path.slice(0, path.indexOf("/"))))) return text;
    const address = `${assetMount}:///${path}`;
    // Without a workspace there is one place only.
    if (!sources.status().some(({ mount }) => mount === workspace)) return address;
    throw ambiguous(text, sources.route(path).uri, address, "neither is there yet");
  }

  async function findStored(path: string, look: Look): Promise<string | undefined> {
    for (const candidate of path.endsWith(".md") ? [path] : [path, `${path}.md`]) {
      const address = `${assetMount}:///${candidate}`;
      if (await look.isThere(address)) return address;
    }
    return undefined;
  }

  function shorten(tool: AnyTool): AnyTool {
    const fields = FIELDS[tool.name];
    if (fields === undefined) return tool;
    const inputs = new WeakMap<object, Promise<ExpandedInput>>();
    const expanded = (input: Record<string, unknown>, context: PlanContext): Promise<ExpandedInput> => {
      const known = inputs.get(input) ?? expandFields(input, fields, context);
      inputs.set(input, known);
      return known;
    };
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

  async function expandFields(
    given: Record<string, unknown>,
    fields: Readonly<Record<string, Use>>,
    context: PlanContext,
  ): Promise<ExpandedInput> {
    const input = { ...given };
    const looked: string[] = [];
    for (const [field, use] of Object.entries(fields)) {
      const value = given[field];
      if (typeof value !== "string") continue;
      const found = await expand(value, use, context);
      input[field] = found.place;
      looked.push(...found.looked);
    }
    return { input, looked: [...new Set(looked)] };
  }

  return { expand, shorten };
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
function shortPath(text: string): string | undefined {
  if (text.includes("://") || text.includes("\\") || text.includes("\0")) return undefined;
  const segments = text.replace(/\/+$/, "").split("/");
  const isPlain = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isPlain && STORE_FOLDERS.has(segments[0] ?? "") ? segments.join("/") : undefined;
}

function ambiguous(text: string, file: string, stored: string, why: string): IkigaiError {
  return new IkigaiError("ambiguous", `${text} could be a file of the workspace or a memory text, and ${why}`, {
    hint: `Write ${file} or ${stored}.`,
    details: { candidates: [file, stored] },
  });
}
