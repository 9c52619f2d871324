import { lstatSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Actor, type AnyTool, defineTool, IkigaiError } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";
import * as z from "zod";
import { compileSearchGlob, type GlobPattern } from "./glob-pattern.ts";
import { nameFlags, WALK_FLAGS } from "./grep-files.ts";
import { guardOf, type SearchToolOptions } from "./grep-tool.ts";
import { entriesBelow } from "./list-below.ts";
import { mayBeSaved, missedFiles } from "./missed-files.ts";
import { createNewest, type Newest } from "./newest.ts";
import { placeInPattern } from "./place-in-pattern.ts";
import { runRipgrep } from "./ripgrep.ts";
import { endSearchAfter } from "./search-deadline.ts";
import { findPlace, openLocal, ownFlags, type SearchGuard } from "./search-place.ts";
import { globText } from "./search-text.ts";

const SEARCH_MS = 20_000;
const MAX_SHOWN = 500;
/** Far longer than a save takes. */
const SAVED_LATELY_MS = 600_000;

const GLOB_INPUT = z.object({
  pattern: z
    .string()
    .min(1)
    .describe(
      "Glob such as src/**/*.c, relative to path, or an address such as ikigai:///**. * does not cross folders, ** does.",
    ),
  path: z.string().optional().describe("Folder or address to start from. Default: the workspace."),
});

const GLOB_OUTPUT = z.looseObject({
  paths: z.array(z.string()).describe("Newest first"),
  count: z.int(),
  left: z.int().describe("How many are not shown"),
  incomplete: z.string().optional().describe("Why there may be more"),
});

const DESCRIPTION = `Finds files by their path, in the workspace, in memory (path ikigai:///) and in any other mounted source.
Answers with at most ${MAX_SHOWN} paths, newest first. Files that .gitignore names are left out; hidden files are found;
links are not followed.`;

export function createGlobTool(options: SearchToolOptions): AnyTool {
  const { sources } = options;
  return defineTool({
    name: "glob",
    title: "Find files",
    description: DESCRIPTION,
    input: GLOB_INPUT,
    output: GLOB_OUTPUT,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    effects: ({ pattern, path }) => [
      { action: "read" as const, target: sources.routePrefix(placeInPattern(pattern, path).path).uri },
    ],
    async run(input, context) {
      const { path, pattern } = placeInPattern(input.pattern, input.path);
      const glob = compileSearchGlob(pattern, { anyDepth: false });
      const { route, nameOf } = findPlace(sources, path);
      const end = endSearchAfter(options.timeoutMs ?? SEARCH_MS, context.signal);
      const found = createNewest(MAX_SHOWN);
      const root = route.source.localRoot?.();
      const isComplete = await end.run(
        root === undefined
          ? listTexts(route, glob, found, { ...context, signal: end.signal })
          : listLocal(root, route, glob, found, { ...context, signal: end.signal }),
      );
      const paths = found.paths().map(nameOf);
      return {
        paths,
        count: found.count,
        left: found.count - paths.length,
        ...(!isComplete && { incomplete: "the search took too long: start from a deeper folder" }),
      };
    },
    toText: globText,
  });

  /** Lists files of this machine, and asks the source for those that were being saved meanwhile. */
  async function listLocal(
    root: string,
    route: Route,
    glob: GlobPattern,
    found: Newest,
    actor: Actor & { readonly signal: AbortSignal },
  ): Promise<void> {
    const { saves } = options;
    const { signal } = actor;
    const began = Date.now();
    const met = new Set<string>();
    // A file that is being saved is a new one, so that only those need be remembered.
    const seen: Newest["add"] = (path, modified) => {
      if (modified === 0 || modified > began - SAVED_LATELY_MS) met.add(path);
      found.add(path, modified);
    };
    try {
      await listFiles(root, route.address.path, glob, { add: seen }, guardOf(options, route, actor), signal);
    } catch (error) {
      if (saves === undefined || !IkigaiError.is(error, "not_found") || !mayBeSaved(route, began, saves)) throw error;
      return listTexts(route, glob, found, actor);
    }
    if (saves === undefined) return;
    const walk = { route, began, met: (path: string) => met.has(path), actor, signal };
    for await (const { entry, below } of missedFiles(walk, saves))
      if (glob.matches(below)) found.add(entry.path, entry.modifiedAt?.getTime() ?? 0);
  }
}

async function listTexts(
  route: Route,
  glob: GlobPattern,
  found: Newest,
  actor: Actor & { readonly signal: AbortSignal },
): Promise<void> {
  for await (const { entry, below } of entriesBelow(route, { signal: actor.signal, actor })) {
    actor.signal.throwIfAborted();
    if (glob.matches(below)) found.add(entry.path, entry.modifiedAt?.getTime() ?? 0);
  }
}

/** One core is left to ask for times while ripgrep walks. */
const THREADS = String(Math.max(1, availableParallelism() - 1));

async function listFiles(
  root: string,
  path: string,
  glob: GlobPattern,
  found: Pick<Newest, "add">,
  guard: SearchGuard,
  signal: AbortSignal,
): Promise<void> {
  await using place = await openLocal(root, path, guard);
  if (!place.isFolder) {
    if (glob.matches(path.slice(path.lastIndexOf("/") + 1))) found.add(path, 0);
    return;
  }
  const prefix = path === "" ? "" : `${path}/`;
  const walked = [...WALK_FLAGS, ...ownFlags(place.real, guard)];
  await runRipgrep({
    // ripgrep does not sort: then it would walk to its end before the first time is asked for.
    args: ["--files", "--null", "--threads", THREADS, ...walked, ...nameFlags(glob), "--", "."],
    cwd: place.cwd,
    separator: "\0",
    onPiece: (piece) => {
      const name = piece.toString("utf8", 2);
      if (!glob.isByName && !glob.matches(name)) return;
      const modified = lstatSync(`${place.real}/${name}`, { throwIfNoEntry: false })?.mtimeMs;
      // A name that is no UTF-8 cannot be asked for like this; anything else without a time is gone by now.
      if (modified !== undefined || name.includes("\u{fffd}")) found.add(`${prefix}${name}`, modified ?? 0);
    },
    signal,
  });
}
