import { type Actor, type TextContent, type Effect, IkigaiError } from "@ikigai/core";
import { type CommandPlan, type Route, type SourceManager } from "@ikigai/core/host";
import type { BlockService } from "../blocks/blocks.ts";
import { journalledUris } from "../journal/changed-path.ts";
import type { Journal } from "../journal/journal.ts";
import type { AssetIndex, Pins } from "../pins/pins.ts";
import { ambiguousPlace, shortPath } from "../addresses/short-places.ts";

/** What the commands work on. */
export interface CommandContext {
  readonly sources: SourceManager;
  readonly blocks: BlockService;
  /** The mount of stored assets. */
  readonly assetMount: string;
  readonly pins: Pins;
  readonly assets: AssetIndex;
  readonly journal: Journal;
  /** Whose texts a mount holds, as the journal knows them. */
  ownerOf(mount: string, actor: Actor): string;
  /** What pinning does where the host does not write the model's prompt, as a sentence. Absent: it is in the prompt. */
  readonly pinsMean?: string;
  /** Makes a text shorter with the help of a model. Absent: there is no model. */
  compact?(
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly tokensBefore: number; readonly tokensAfter: number }>;
  /** Shows before and after, and asks. Absent: what was approved is enough. */
  confirm?(question: string, before: string, after: string): Promise<boolean>;
}

/** What a command that runs may know and ask. */
export type CommandCall = Parameters<CommandPlan["run"]>[0];

/** What a command answers. */
export type CommandResult = Awaited<ReturnType<CommandPlan["run"]>>;

/** Says of a conflict that the text is not the one that was judged. Contract: passes every other error on. */
export function orChangedMeanwhile(uri: string, what: string): (cause: unknown) => never {
  return (cause) => {
    if (!IkigaiError.is(cause, "conflict")) throw cause;
    throw new IkigaiError("conflict", `${uri} was changed since the command was judged, and was not ${what}`, {
      hint: "Look at it again, then give the command once more.",
      cause,
    });
  };
}

/** Whether `place` is the label of a block, exactly. A path that a block was loaded from is not. */
export async function isBlock({ blocks }: CommandContext, place: string, actor: Actor): Promise<boolean> {
  try {
    return (await blocks.info(place, actor)).label === place;
  } catch (error) {
    if (IkigaiError.is(error)) return false;
    throw error;
  }
}

/**
 * Whether `place` means a block and no text. An address means the text there, also when a block that was loaded from it is
 * called by that address.
 */
export async function isBlockLabel(context: CommandContext, place: string, actor: Actor): Promise<boolean> {
  return !place.includes(":///") && (await isBlock(context, place, actor));
}

/** A text that was found, with where it is. */
export interface FoundText {
  readonly route: Route;
  readonly content: TextContent;
}

/**
 * The asset that a shorthand means: as it is, then with `.md`, then under `blocks/`.
 *
 * Contract: `not_found` names what was tried.
 */
export async function findAsset(context: CommandContext, place: string, actor: Actor): Promise<FoundText> {
  const candidates = assetPlaces(context, place);
  return (await findFirst(context.sources, candidates, actor)) ?? missing(place, candidates);
}

/**
 * A text that is or was there: a path of the workspace, an address, or the shorthand of an asset.
 *
 * Contract: of several the first that is there, then the first that was; for a change `ambiguous` when a short address
 * could be a file of the workspace and a stored text.
 */
export async function findPlace(
  context: CommandContext,
  place: string,
  actor: Actor,
  use: "read" | "change",
): Promise<Route> {
  const { sources, journal } = context;
  const candidates = textPlaces(context, place);
  const [file = "", ...stored] = candidates;
  const couldBeEither = use === "change" && shortPath(place) !== undefined && file === place;
  const refuseEither = (one: Route, other: Route | undefined, why: string): void => {
    if (other !== undefined && couldBeEither) throw ambiguousPlace(place, one.uri, other.uri, why);
  };
  const present = await findFirst(sources, candidates, actor);
  if (present !== undefined) {
    const isFile = couldBeEither && present.route.uri === sources.route(file).uri;
    const other = isFile ? await findFirst(sources, stored, actor) : undefined;
    refuseEither(present.route, other?.route, "both are there");
    return present.route;
  }
  const routes = candidates.map((candidate) => sources.route(candidate));
  const changed: Route[] = [];
  for (const route of routes) {
    const owner = context.ownerOf(route.address.mount, actor);
    const found = journalledUris(route).map((uri) => journal.history(uri, { owner, limit: 1 }));
    if ((await Promise.all(found)).some((records) => records.length > 0)) changed.push(route);
  }
  const [first = routes[0] as Route, second] = changed;
  refuseEither(first, second, "both were there");
  return first;
}

/**
 * What can be pinned: the block of that label, else the asset that the shorthand means, else the block that was loaded
 * from that place.
 *
 * Contract: `not_found` as {@link findAsset} says it.
 */
export async function findPinnable(
  context: CommandContext,
  place: string,
  actor: Actor,
): Promise<FoundText | { readonly block: string }> {
  if (await isBlock(context, place, actor)) return { block: place };
  const candidates = assetPlaces(context, place).filter((one) => one.startsWith(`${context.assetMount}:///`));
  const asset = await findFirst(context.sources, candidates, actor);
  if (asset !== undefined) return asset;
  const block = await context.blocks.info(place, actor).catch(() => undefined);
  if (block !== undefined) return { block: block.label };
  if (candidates.length > 0) return missing(place, candidates);
  throw new IkigaiError("not_found", `${place} is no stored asset and no loaded block`, {
    hint: "Load it as a block first; then it can be pinned.",
  });
}

/** What looking for an asset reads. */
export const assetReads = (context: CommandContext, place: string): Effect[] =>
  reads(context, assetPlaces(context, place));

/** What looking for a text reads. */
export const textReads = (context: CommandContext, place: string): Effect[] =>
  reads(context, textPlaces(context, place));

function assetPlaces({ assetMount }: CommandContext, place: string): string[] {
  if (isAddress(place)) return [place];
  return [place, `${place}.md`, `blocks/${place}`, `blocks/${place}.md`].map((path) => `${assetMount}:///${path}`);
}

function textPlaces(context: CommandContext, place: string): string[] {
  if (isAddress(place)) return [place];
  const stored = assetPlaces(context, place);
  return hasWorkspace(context.sources, place) ? [place, ...stored] : stored;
}

/** Whether a bare path leads anywhere: the workspace may be left out. */
function hasWorkspace(sources: SourceManager, place: string): boolean {
  try {
    sources.route(place);
    return true;
  } catch (error) {
    if (IkigaiError.is(error, "not_found")) return false;
    throw error;
  }
}

function isAddress(place: string): boolean {
  return place.includes("://") || place.startsWith("/");
}

function reads({ sources }: CommandContext, places: readonly string[]): Effect[] {
  return places.map((place) => ({ action: "read", target: sources.route(place).uri }));
}

/** Contract: `invalid_input` with the usage unless there are between `least` and `most` arguments. */
export function expectArguments(
  command: string,
  usage: string,
  args: readonly string[],
  least: number,
  most: number,
): void {
  if (args.length >= least && args.length <= most) return;
  const wanted = least === most ? String(least) : `${least} to ${most}`;
  throw new IkigaiError("invalid_input", `/${command} takes ${wanted} arguments, not ${args.length}`, {
    hint: `Write /${command} ${usage}`.trim(),
  });
}

/** Contract: `invalid_input` with the usage where no place is given. */
export function expectPlace(command: string, usage: string, place: string | undefined): string {
  if (place !== undefined && place !== "") return place;
  throw new IkigaiError("invalid_input", `/${command} needs the address of a text, such as blocks/decisions`, {
    hint: `Write /${command} ${usage}`,
  });
}

async function findFirst(
  sources: SourceManager,
  candidates: readonly string[],
  actor: Actor,
): Promise<FoundText | undefined> {
  for (const candidate of candidates) {
    const route = sources.route(candidate);
    const content = await route.source.read(route.address.path, { actor }).catch((error: unknown) => {
      // A place that was not named is only a guess: one that cannot be asked must not hide the others.
      if (candidate !== candidates[0] && IkigaiError.is(error, "unavailable")) return undefined;
      throw error;
    });
    if (content !== undefined) return { route, content };
  }
  return undefined;
}

function missing(place: string, candidates: readonly string[]): never {
  throw new IkigaiError("not_found", `There is no asset ${JSON.stringify(place)}`, {
    hint: `Looked for ${candidates.join(", ")}. List them with /assets list.`,
  });
}

/** Under whom the journal has a text: who acts, and who shares it with him. */
export async function ownersOf(context: CommandContext, { address }: Route, actor: Actor): Promise<readonly string[]> {
  const owner = context.ownerOf(address.mount, actor);
  if (address.mount !== context.assetMount) return [owner];
  const sharer = (await context.assets.find(actor.agent, address.path))?.owner ?? owner;
  return [...new Set([owner, sharer])];
}
