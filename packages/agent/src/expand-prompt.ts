import { IkigaiError, messageOf, type SourceManager } from "@ikigai/core";
import { fence } from "./fence.ts";

export interface ExpandOptions {
  readonly sources: SourceManager;
  /** The mount that `@@` means. Default `ikigai`. */
  readonly assets?: string;
  /** Characters one text may have. Default 200,000. */
  readonly maxChars?: number;
}

/** A marker in what the user typed. */
interface Marker {
  readonly start: number;
  readonly end: number;
  readonly asset: boolean;
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

export interface Expansion {
  readonly text: string;
  /** What was put in, in order. */
  readonly included: readonly { readonly uri: string; readonly version: string; readonly lines: number }[];
}

const MARKER = /(?<![\w@`])(@@?)(?:"([^"\n]+)"(:\d+(?:-\d+)?)?|([^\s"@`,;()[\]{}<>]+))/g;
const RANGE = /^(.+?):(\d+)(?:-(\d+))?$/;
const ASSETS = "ikigai";
const MAX_CHARS = 200_000;

/**
 * Puts the text of `@path` and `@@asset` behind what the user typed, fenced with address and version.
 *
 * Contract: what was put in is never expanded again. A target that is missing or too large is an error that names it,
 * and nothing is sent. `@word` that is no path of an existing file and has neither slash nor dot stays text.
 */
export async function expandPrompt(text: string, options: ExpandOptions): Promise<Expansion> {
  const included: { uri: string; version: string; lines: number }[] = [];
  const fenced: string[] = [];
  for (const marker of findMarkers(text)) {
    const found = await read(marker, options);
    if (found === undefined) {
      if (!marker.asset && !/[./]/.test(marker.path)) continue; // A person's handle, not a file.
      throw new IkigaiError("not_found", `${marker.asset ? "@@" : "@"}${marker.path} leads to nothing`, {
        hint: "Correct the name, or put it in backticks to keep it as text.",
      });
    }
    const part = slice(found.text, marker);
    const limit = options.maxChars ?? MAX_CHARS;
    if (part.length > limit) {
      throw new IkigaiError("over_budget", `${found.uri} has ${part.length} characters, more than ${limit}`, {
        hint: `Name a range, such as @${marker.path}:1-200.`,
      });
    }
    if (included.some(({ uri }) => uri === found.uri) && marker.from === undefined) continue;
    included.push({ uri: found.uri, version: found.version, lines: part.replace(/\n$/, "").split("\n").length });
    fenced.push(fence(part, found.uri, found.version));
  }
  return { text: fenced.length === 0 ? text : `${text}\n\n${fenced.join("\n\n")}`, included };
}

export function findMarkers(text: string): Marker[] {
  return [...text.matchAll(MARKER)].map((match) => {
    const [whole, ats = "@", quoted, lines = "", bare = ""] = match;
    const written = quoted === undefined ? bare.replace(/[.!?:'"]+$/, "") : `${quoted}${lines}`;
    const range = RANGE.exec(written);
    const path = range?.[1] ?? written;
    return {
      start: match.index,
      end: match.index + whole.length,
      asset: ats === "@@",
      path,
      ...(range !== null && { from: Number(range[2]), to: Number(range[3] ?? range[2]) }),
    };
  });
}

/** An asset is looked for by its exact name, then with `.md`, then under `blocks/`. */
async function read(
  { asset, path }: Marker,
  options: ExpandOptions,
): Promise<{ uri: string; text: string; version: string } | undefined> {
  const mount = options.assets ?? ASSETS;
  const candidates = asset
    ? [path, `${path}.md`, `blocks/${path}`, `blocks/${path}.md`].map((one) => `${mount}:///${one}`)
    : [path];
  for (const candidate of candidates) {
    const route = options.sources.route(candidate);
    const content = await route.source.read(route.address.path).catch((error: unknown) => {
      if (IkigaiError.is(error, "unsupported"))
        throw new IkigaiError("unsupported", `${route.uri}: ${messageOf(error)}`, { cause: error });
      throw error;
    });
    if (content !== undefined) return { uri: route.uri, ...content };
  }
  return undefined;
}

function slice(text: string, { from, to, path }: Marker): string {
  if (from === undefined || to === undefined) return text;
  const lines = text.split("\n");
  if (from < 1 || to < from || from > lines.length) {
    throw new IkigaiError("invalid_input", `${path} has ${lines.length} lines, so ${from}-${to} is no range of it`);
  }
  return lines.slice(from - 1, to).join("\n");
}
