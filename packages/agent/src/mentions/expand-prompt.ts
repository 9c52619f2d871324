import { IkigaiError, messageOf } from "@ikigai/core";
import type { Route, SourceManager } from "@ikigai/core/host";
import { fence } from "../context/fence.ts";
import { findMarkers, type Marker, type TextSpan } from "./find-markers.ts";
import { findFolder, listFolder } from "./list-folder.ts";

export interface ExpandOptions {
  readonly sources: SourceManager;
  /** The mount that `@@` means. Default `ikigai`. */
  readonly assets?: string;
  /** Characters one text may have. Default 200,000. */
  readonly maxChars?: number;
  /** Parts of the text in which an `@` means nothing, such as what was pasted. Default none. */
  readonly plain?: readonly TextSpan[];
  /**
   * Whether a text or a folder that exists may go along. Default: everything may.
   *
   * Contract: may ask a person; a marker that may not stays text.
   */
  readonly mayInclude?: (uri: string) => Promise<boolean>;
  /** The address of a path that leaves the workspace, such as `../notes.md`. Absent: such a path is `permission_denied`. */
  readonly addressOutside?: (path: string) => string;
}

export interface Expansion {
  readonly text: string;
  /** Texts that were put into the prompt, in order. */
  readonly included: readonly { readonly uri: string; readonly version: string; readonly lines: number }[];
  /** Markers that look like paths and stayed text, as they were typed, and why. */
  readonly left: readonly { readonly marker: string; readonly reason: "not_found" | "refused" }[];
}

interface Found {
  readonly uri: string;
  content(): Promise<{ readonly text: string; readonly version: string }>;
}

const ASSETS = "ikigai";
/** Stands for the version of a listing, which has none. */
const LISTING = "listing";
const NO_ADDRESS = ["not_found", "invalid_input", "unsupported"] as const;
const MAX_CHARS = 200_000;

/**
 * Puts the text of `@path` and `@@asset`, and the listing of `@folder/`, behind what the user typed, fenced with address
 * and version.
 *
 * Contract: what was put in is never expanded again, and nothing inside code or `plain` is. A marker that leads to nothing
 * stays text. A text that is too large or no text is an error that names it, and nothing is sent.
 */
export async function expandPrompt(text: string, options: ExpandOptions): Promise<Expansion> {
  const included: { uri: string; version: string; lines: number }[] = [];
  const left: { marker: string; reason: "not_found" | "refused" }[] = [];
  const fenced: string[] = [];
  const answers = new Map<string, boolean>();
  for (const marker of findMarkers(text, options.plain)) {
    const found = await find(marker, options);
    if (found === undefined) {
      // A word without dot and slash is a person's handle.
      if (marker.asset || /[./]/.test(marker.path)) left.push({ marker: marker.written, reason: "not_found" });
      continue;
    }
    if (included.some(({ uri }) => uri === found.uri) && marker.from === undefined) continue;
    const allowed = answers.get(found.uri) ?? (await options.mayInclude?.(found.uri)) ?? true;
    answers.set(found.uri, allowed);
    if (!allowed) {
      left.push({ marker: marker.written, reason: "refused" });
      continue;
    }
    const content = await found.content();
    const part = slice(content.text, marker);
    const limit = options.maxChars ?? MAX_CHARS;
    if (part.length > limit) {
      throw new IkigaiError("over_budget", `${found.uri} has ${part.length} characters, more than ${limit}`, {
        hint: `Name a range, such as @${marker.path}:1-200.`,
      });
    }
    included.push({ uri: found.uri, version: content.version, lines: part.replace(/\n$/, "").split("\n").length });
    fenced.push(fence(part, found.uri, content.version));
  }
  return { text: fenced.length === 0 ? text : `${text}\n\n${fenced.join("\n\n")}`, included, left };
}

/** An asset is looked for by its exact name, then with `.md`, then under `blocks/`; a folder last. */
async function find({ asset, path }: Marker, options: ExpandOptions): Promise<Found | undefined> {
  const mount = options.assets ?? ASSETS;
  const candidates = asset
    ? [path, `${path}.md`, `blocks/${path}`, `blocks/${path}.md`].map((one) => `${mount}:///${one}`)
    : [path];
  for (const candidate of path.endsWith("/") ? [] : candidates) {
    const route = routeTo(candidate, options);
    if (route === undefined) continue;
    const content = await route.source.read(route.address.path).catch(async (error: unknown) => {
      if (!IkigaiError.is(error, "unsupported")) throw error;
      if ((await findFolder(route)) !== undefined) return undefined;
      throw new IkigaiError("unsupported", `${route.uri}: ${messageOf(error)}`, { cause: error });
    });
    if (content !== undefined) return { uri: route.uri, content: async () => content };
  }
  for (const candidate of candidates) {
    const route = routeTo(candidate, options, "routePrefix");
    const folder = route && (await findFolder(route));
    if (folder === undefined) continue;
    return { uri: folder.uri, content: async () => ({ text: await listFolder(folder), version: LISTING }) };
  }
  return undefined;
}

/** Contract: `undefined` for what is no address of a text here. */
function routeTo(
  path: string,
  { sources, addressOutside }: Pick<ExpandOptions, "sources" | "addressOutside">,
  kind: "route" | "routePrefix" = "route",
): Route | undefined {
  try {
    return sources[kind](path);
  } catch (error) {
    if (IkigaiError.is(error, "permission_denied") && addressOutside !== undefined)
      return routeTo(addressOutside(path), { sources }, kind);
    if (NO_ADDRESS.some((code) => IkigaiError.is(error, code))) return undefined;
    throw error;
  }
}

function slice(text: string, { from, to, path }: Marker): string {
  if (from === undefined || to === undefined) return text;
  const lines = text.split("\n");
  if (from < 1 || to < from || from > lines.length) {
    throw new IkigaiError("invalid_input", `${path} has ${lines.length} lines, so ${from}-${to} is no range of it`, {
      hint: `Use lines from 1 to ${lines.length}.`,
    });
  }
  return lines.slice(from - 1, to).join("\n");
}
