import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Action, type Effect, messageOf } from "@ikigai/core";
import {
  type CallFacts,
  type CommandPlaces,
  HOST_MOUNT,
  type Opinion,
  type PolicyLayer,
  stricterOpinion,
} from "@ikigai/core/host";
import type { PlaceFollower } from "./effect-places.ts";
import type { OwnPlaces } from "./own-places.ts";

export interface CommandLayerOptions {
  /** The workspace, as a real path. */
  readonly root: string;
  /** The mount of the workspace. */
  readonly workspace: string;
  /** The places that a command line shows. */
  readonly placesOf: (command: string) => CommandPlaces;
  /** Follows the links of the places that a command names. */
  readonly follower: Pick<PlaceFollower, "followPath">;
  readonly own: Pick<OwnPlaces, "liesBelow">;
  /** Layer that judges every place that a command names. */
  readonly protectedLayer: PolicyLayer;
  /** Further layers for the places in the workspace, and the addresses, that redirections write. */
  readonly layers: readonly PolicyLayer[];
}

/**
 * Holds the places that a command line shows against the rules for paths, so that `echo x > .git/config` is judged like
 * a write of that file, and `cat` of a key like a read of it.
 *
 * Contract: never throws, only ever tightens. What cannot be seen in the text is not judged here. A redirection into
 * a place that cannot be judged needs a person.
 */
export function createCommandLayer(options: CommandLayerOptions): PolicyLayer {
  return {
    name: "command",
    async judge({ action, target, command = target, cwd = "." }, facts) {
      if (action !== "execute" || facts.tool !== "bash") return undefined;
      const { folder: inside = ".", written, named, read, searched } = options.placesOf(command);
      const folder = inside === "." ? cwd : cwd === "." || inside.startsWith("/") ? inside : `${cwd}/${inside}`;
      let found: Opinion | undefined;
      for (const word of [...written, ...named]) {
        if (word.includes("\0")) continue;
        const isWritten = written.includes(word);
        if (word.includes(":///")) {
          if (isWritten) found = stricterOpinion(found, await closedAddress(options.layers, word, facts));
          continue;
        }
        const use = { action: "update", word, folder, isWritten } as const;
        found = stricterOpinion(found, await opinionOnWord(options, use, facts));
      }
      for (const word of read.filter((one) => !one.includes("\0") && !one.includes(":///"))) {
        const use = { action: "read", word, folder, isWritten: false } as const;
        found = stricterOpinion(found, await opinionOnWord(options, use, facts));
        if (searched.includes(word)) found = stricterOpinion(found, await opinionOnSearch(options, word, folder));
      }
      if (searched.includes(".")) found = stricterOpinion(found, await opinionOnSearch(options, ".", folder));
      if (found?.decision !== "ask" || folder === ".") return found;
      return (await opinionOnFolder(options, folder, facts)) ?? found;
    },
  };
}

/** How a command uses a place that it names. */
interface WordUse {
  readonly action: Action;
  readonly word: string;
  /** The folder that the command runs in. */
  readonly folder: string;
  /** Whether a redirection writes it. */
  readonly isWritten: boolean;
}

async function opinionOnWord(
  options: CommandLayerOptions,
  use: WordUse,
  facts: CallFacts,
): Promise<Opinion | undefined> {
  const { word } = use;
  const home = word === "~" || word.startsWith("~/") ? homedir() + word.slice(1) : word;
  let found: Opinion | undefined;
  try {
    found = await opinionOnPath(options, { ...use, word: home }, facts);
  } catch (error) {
    const reason = `it cannot be judged as a path: ${messageOf(error)}`;
    found = { decision: "ask", needs: "person", reason };
  }
  if (found === undefined || found.decision === "allow") return undefined;
  return { ...found, reason: `the command names ${JSON.stringify(word)}: ${found.reason}` };
}

/** What the layers say of all the places that a word leads to. */
async function opinionOnPath(
  { root, workspace, follower, protectedLayer, layers }: CommandLayerOptions,
  { action, word, folder, isWritten }: WordUse,
  facts: CallFacts,
): Promise<Opinion | undefined> {
  const absolute = pathFrom(root, folder, word);
  const { final, others = [], opinion } = await follower.followPath(action, absolute);
  const asked = { action, target: namedTarget(absolute, root, workspace) };
  let strictest = isWritten ? opinion : undefined;
  for (const effect of [asked, final, ...others]) {
    strictest = stricterOpinion(strictest, asking(await opinionOf(protectedLayer, effect, facts, isWritten)));
    if (!isWritten || !effect.target.startsWith(`${workspace}:///`)) continue;
    for (const layer of layers)
      strictest = stricterOpinion(strictest, await opinionOf(layer, effect, facts, isWritten));
  }
  return strictest;
}

/** An absolute path whose `..` still stand in it, since behind a link they lead elsewhere than its text says. */
function pathFrom(root: string, folder: string, word: string): string {
  return [root, folder, word].reduce((base, next) => (next.startsWith("/") ? next : `${base}/${next}`));
}

/** The address of a path as it was named, since it is protected by its own name too. */
function namedTarget(path: string, root: string, workspace: string): string {
  const absolute = resolve(path);
  if (absolute === root) return `${workspace}:///`;
  if (absolute.startsWith(`${root}/`)) return `${workspace}:///${absolute.slice(root.length + 1)}`;
  return `${HOST_MOUNT}://${absolute}`;
}

/**
 * Refuses a closed address before the command starts. An open one is written back when the command has ended, and asked
 * for then.
 */
async function closedAddress(
  layers: readonly PolicyLayer[],
  word: string,
  facts: CallFacts,
): Promise<Opinion | undefined> {
  let found: Opinion | undefined;
  for (const layer of layers)
    found = stricterOpinion(found, await opinionOf(layer, { action: "create", target: word }, facts, true));
  if (found?.decision !== "deny") return undefined;
  return { ...found, reason: `the command names ${JSON.stringify(word)}: ${found.reason}` };
}

/**
 * Opinion on the command's folder. Where the folder itself is protected, naming a word of the command would
 * mislead.
 */
async function opinionOnFolder(
  options: CommandLayerOptions,
  folder: string,
  facts: CallFacts,
): Promise<Opinion | undefined> {
  const use = { action: "update", word: ".", folder, isWritten: false } as const;
  const opinion = await opinionOnPath(options, use, facts).catch(() => undefined);
  return opinion && { ...opinion, reason: `the command runs in ${JSON.stringify(folder)}: ${opinion.reason}` };
}

/** A search reads whatever lies below, and so our own folders too. Contract: no opinion on what cannot be followed. */
async function opinionOnSearch(
  { root, follower, own }: CommandLayerOptions,
  word: string,
  folder: string,
): Promise<Opinion | undefined> {
  try {
    const { final } = await follower.followPath("read", pathFrom(root, folder, word));
    if (final.local === undefined || !own.liesBelow(final.local)) return undefined;
  } catch {
    return undefined;
  }
  const reason = `the command searches ${JSON.stringify(word)}, where ikigai keeps its own files`;
  return { decision: "ask", needs: "person", reason };
}

/** A command is no tool of ours: what is closed to those, a person may still allow to it. */
function asking(opinion: Opinion | undefined): Opinion | undefined {
  return opinion?.decision === "deny" ? { decision: "ask", needs: "person", reason: opinion.reason } : opinion;
}

/** A word of a command need not be a path that we could judge: it may hold line breaks, or be a whole program. */
async function opinionOf(
  layer: PolicyLayer,
  effect: Effect,
  facts: CallFacts,
  isWritten: boolean,
): Promise<Opinion | undefined> {
  try {
    return await layer.judge(effect, facts);
  } catch (error) {
    if (!isWritten) return undefined;
    return { decision: "ask", needs: "person", reason: `it cannot be judged as a path: ${messageOf(error)}` };
  }
}
