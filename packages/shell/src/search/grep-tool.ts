import { type Actor, type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import type { Route, SaveTraces, SourceManager } from "@ikigai/core/host";
import * as z from "zod";
import { compileSearchGlob } from "./glob-pattern.ts";
import { type GrepQuery, grepFiles } from "./grep-files.ts";
import { createGrepResults, type GrepResults } from "./grep-results.ts";
import { grepTexts } from "./grep-texts.ts";
import { endSearchAfter } from "./search-deadline.ts";
import { mayBeSaved, missedFiles } from "./missed-files.ts";
import { placeInPattern } from "./place-in-pattern.ts";
import { findPlace, type SearchGuard } from "./search-place.ts";
import { grepText } from "./search-text.ts";

export interface SearchToolOptions {
  readonly sources: SourceManager;
  /** Whether a file of this machine, by its real path, is the host's own and not searched in `mount`. Default: none is. */
  readonly isOwn?: (absolute: string, mount: string) => boolean;
  /** The host's own folders, by their real paths. Default none. */
  readonly ownFolders?: () => readonly string[];
  /** What saves do to the folders that are searched. Default: nothing. */
  readonly saves?: SaveTraces;
  /** Milliseconds after which a search answers with what it has. Default 20,000. */
  readonly timeoutMs?: number;
}

const SEARCH_MS = 20_000;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_CONTEXT = 20;

const GREP_INPUT = z.object({
  pattern: z.string().min(1).max(4_000).describe("Regular expression, as ripgrep reads it. Matches within a line."),
  path: z.string().optional().describe("File, folder or address to search. Default: the workspace."),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe("Only files whose path matches, such as *.ts, src/**/*.md or ikigai:///**/*.md."),
  context: z.int().min(0).max(MAX_CONTEXT).optional().describe("Lines shown before and after each match. Default 0."),
  limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`Matches shown. Default ${DEFAULT_LIMIT}.`),
  ignore_case: z.boolean().optional(),
});

const GREP_OUTPUT = z.looseObject({
  matches: z
    .array(z.looseObject({ path: z.string() }))
    .describe(
      "In the order of their paths; one in a long line has its column, as file_read takes it, and the line_length",
    ),
  count: z.int(),
  left: z.int().describe("How many are not shown"),
  incomplete: z.string().optional().describe("Why there may be more"),
});

const DESCRIPTION = `Searches text for a regular expression, in files, memory texts (path ikigai:///) and any other mounted
source. Answers with matching lines in the order of their paths. Files that .gitignore names are left out; hidden files
are searched; links are not followed.`;

export function createGrepTool(options: SearchToolOptions): AnyTool {
  const { sources } = options;
  return defineTool({
    name: "grep",
    title: "Search text",
    description: DESCRIPTION,
    input: GREP_INPUT,
    output: GREP_OUTPUT,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: (input) => [{ action: "read" as const, target: sources.routePrefix(startOf(input).path).uri }],
    async run(input, context) {
      const { pattern, limit = DEFAULT_LIMIT, context: around = 0, ignore_case: ignoreCase = false } = input;
      const { path, glob } = startOf(input);
      const { route, nameOf } = findPlace(sources, path);
      const end = endSearchAfter(options.timeoutMs ?? SEARCH_MS, context.signal);
      const query: GrepQuery = {
        pattern,
        ignoreCase,
        context: around,
        ...(glob !== undefined && { glob: compileSearchGlob(glob, { anyDepth: true }) }),
        signal: end.signal,
      };
      const results = createGrepResults(limit, around);
      const root = route.source.localRoot?.();
      const isComplete = await end.run(
        root === undefined
          ? grepTexts(route, query, results, context)
          : grepLocal(root, route, query, results, context),
      );
      const { matches, count, left } = results.finish();
      return {
        matches: matches.map((match) => ({ ...match, path: nameOf(match.path) })),
        count,
        left,
        ...(!isComplete && { incomplete: "the search took too long: narrow it with path or glob" }),
      };
    },
    toText: grepText,
  });

  /** Searches files of this machine, and once more behind their saves those that were being saved meanwhile. */
  async function grepLocal(
    root: string,
    route: Route,
    query: GrepQuery,
    results: GrepResults,
    actor: Actor,
  ): Promise<void> {
    const { saves } = options;
    const began = Date.now();
    const met = new Set<string>();
    const guard = guardOf(options, route, actor);
    try {
      await grepFiles(root, route.address.path, query, results, guard, (path) => met.add(path));
    } catch (error) {
      if (saves === undefined || !IkigaiError.is(error, "not_found") || !mayBeSaved(route, began, saves)) throw error;
      return grepTexts(route, query, results, actor);
    }
    if (saves === undefined) return;
    const { signal, glob } = query;
    const walk = { route, began, met: (path: string) => met.has(path), actor, signal };
    for await (const { route: missed, below } of missedFiles(walk, saves)) {
      if (glob?.matches(below) === false) continue;
      const { glob: _, ...anyName } = query;
      await grepTexts(missed, anyName, results, actor);
    }
  }
}

/** Limits of the search of an address: the place that was judged, and our own files left out. */
export function guardOf({ isOwn, ownFolders, saves }: SearchToolOptions, route: Route, { places }: Actor): SearchGuard {
  return {
    hiddenNames: saves && [saves.names],
    judged: places?.get(route.uri),
    isOwn: isOwn && ((absolute) => isOwn(absolute, route.address.mount)),
    ownFolders: ownFolders?.(),
  };
}

/** Where a search starts; a glob may name the place instead of `path`. */
function startOf({ path = "", glob }: { readonly path?: string | undefined; readonly glob?: string | undefined }): {
  readonly path: string;
  readonly glob?: string;
} {
  if (glob === undefined) return { path };
  const start = placeInPattern(glob, path);
  return { path: start.path, glob: start.pattern };
}
