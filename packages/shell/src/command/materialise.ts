import { constants } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Actor, type TextContent, IkigaiError, messageOf, type ToolContext } from "@ikigai/core";
import { requireCapability, type Route, type SourceManager } from "@ikigai/core/host";
import { findAddressWords, quoteWord } from "./command-addresses.ts";

/** An address of a command that stands on disk while the command runs. */
export interface MaterialisedAddress {
  readonly route: Route;
  readonly path: string;
  /** Absent: there is no text there yet. */
  readonly before: TextContent | undefined;
}

/** What became of an address after the command ran. */
export type AddressOutcome =
  | { readonly uri: string; readonly change: "created" | "updated"; readonly version: string }
  | { readonly uri: string; readonly change: "deleted" }
  | {
      readonly uri: string;
      readonly change: "left_aside";
      /** Where the command's text is kept. Absent when it deleted its file, or put something else in its place. */
      readonly path?: string;
      readonly code: string;
      readonly error: string;
      readonly hint?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };

/** Puts a file where it outlives the command. Absent: there is no regular file. */
export type KeepFile = (path: string) => Promise<string | undefined>;

const MAX_BYTES = 50 * 1024 ** 2;

/** The routes of the addresses in a command, each once. An address of a mount that does not exist is plain text. */
export function routesOf(command: string, sources: SourceManager | undefined): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  if (sources === undefined) return routes;
  const mounts = new Set(sources.status().flatMap(({ mount, kind }) => (kind === "block" ? [mount] : [])));
  for (const { address } of findAddressWords(command)) {
    if (mounts.has(address.slice(0, address.indexOf(":")))) routes.set(address, sources.route(address));
  }
  return routes;
}

/** Puts the text of each address into `folder` and gives the command with real paths in it. */
export async function materialise(
  command: string,
  routes: ReadonlyMap<string, Route>,
  folder: string,
  actor: Actor & { readonly signal: AbortSignal },
): Promise<{ readonly command: string; readonly files: readonly MaterialisedAddress[] }> {
  const files = new Map<string, MaterialisedAddress>();
  for (const route of routes.values()) {
    if (files.has(route.uri)) continue;
    const before = await route.source.read(route.address.path, { signal: actor.signal, actor });
    // A folder for each, so that the file keeps its name: `cp note:///x.md src/` makes src/x.md.
    const own = join(folder, String(files.size + 1));
    await mkdir(own, { mode: 0o700 });
    const path = join(own, basename(route.address.path));
    if (before !== undefined) await writeFile(path, before.text, { mode: 0o600 });
    files.set(route.uri, { route, path, before });
  }
  let changed = command;
  // Addresses are replaced from the last to the first, so that positions stay right.
  for (const { prefix, address, start, end } of findAddressWords(command).toReversed()) {
    const file = files.get(routes.get(address)?.uri ?? "");
    if (file !== undefined) changed = changed.slice(0, start) + prefix + quoteWord(file.path) + changed.slice(end);
  }
  return { command: changed, files: [...files.values()] };
}

/**
 * Writes back what a command changed, each under the checks of any other write.
 *
 * Contract: never rejects for one that is refused, in conflict or no text: that one is left aside and reported. What
 * did not change is not mentioned.
 */
export async function writeBack(
  files: readonly MaterialisedAddress[],
  context: ToolContext,
  keep: KeepFile,
): Promise<readonly AddressOutcome[]> {
  const outcomes: AddressOutcome[] = [];
  for (const file of files) {
    try {
      const outcome = await store(file, await readBack(file.path), context);
      if (outcome !== undefined) outcomes.push(outcome);
    } catch (error) {
      outcomes.push(await leftAside(file, error, keep));
    }
  }
  return outcomes;
}

/** Leaves every changed file aside, with the reason, after a command that did not come to its end. */
export async function leaveAside(
  files: readonly MaterialisedAddress[],
  reason: IkigaiError,
  keep: KeepFile,
): Promise<readonly AddressOutcome[]> {
  const outcomes: AddressOutcome[] = [];
  for (const file of files) {
    const after = await readBack(file.path).catch(() => "");
    if (after !== file.before?.text) outcomes.push(await leftAside(file, reason, keep));
  }
  return outcomes;
}

async function store(
  { route, before }: MaterialisedAddress,
  after: string | undefined,
  context: ToolContext,
): Promise<AddressOutcome | undefined> {
  const { uri, address } = route;
  if (after === before?.text) return undefined;
  const options = { signal: context.signal, actor: context };
  if (after === undefined) {
    await context.permit([{ action: "delete", target: uri }]);
    await requireCapability(route, "remove").remove(address.path, { ...options, expected: before?.version as string });
    return { uri, change: "deleted" };
  }
  const change = before === undefined ? "created" : "updated";
  await context.permit([{ action: before === undefined ? "create" : "update", target: uri }]);
  const written = await requireCapability(route, "write").write(address.path, after, {
    ...options,
    expected: before?.version ?? null,
  });
  return { uri, change, version: written.version };
}

/** The text a command left at `path`. The command may have put anything there, so nothing is followed or trusted. */
async function readBack(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await using handle = await open(path, flags);
    const stat = await handle.stat();
    if (!stat.isFile()) throw notText(path, "is not a regular file");
    if (stat.size > MAX_BYTES) throw notText(path, `has ${stat.size} bytes, and ${MAX_BYTES} may be written back`);
    const bytes = await handle.readFile();
    if (bytes.includes(0)) throw notText(path, "contains a NUL byte");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") throw notText(path, "is a link");
    if (error instanceof TypeError) throw notText(path, "is not valid UTF-8");
    throw error;
  }
}

function notText(path: string, problem: string): IkigaiError {
  return new IkigaiError("invalid_input", `${path} ${problem}`, { hint: "Write plain text to an address." });
}

async function leftAside(
  { route, path }: MaterialisedAddress,
  error: unknown,
  keep: KeepFile,
): Promise<AddressOutcome> {
  const aside = { uri: route.uri, change: "left_aside" as const };
  const kept = await keep(path).then(
    (place) => (place === undefined ? {} : { path: place }),
    (failure: unknown) => ({ hint: `The command's text could not be kept: ${messageOf(failure)}` }),
  );
  if (!IkigaiError.is(error) || error.code === "internal") {
    return { ...aside, code: "internal", error: "It could not be written back", ...kept };
  }
  const { code, message, hint, details } = error;
  return { ...aside, code, error: message, ...(hint !== undefined && { hint }), ...(details && { details }), ...kept };
}
