import type { Actor, TextRevision } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";
import type { JournalRecord } from "../journal/journal.ts";
import { createUnifiedDiff } from "../text/unified-patch.ts";

/** A state that the source itself remembers, as `/history` gives it. */
export interface SourceRevision extends Omit<TextRevision, "text"> {
  /** The mount that remembers it. */
  readonly source: string;
}

/** States of a source that are shown. */
const SHOWN = 100;

/**
 * What a source itself remembers of a text, newest first, such as the commits of a repository.
 *
 * Contract: empty for a source without history; what the journal already shows is left out.
 */
export async function sourceHistory(
  route: Route,
  actor: Actor,
  records: readonly JournalRecord[],
): Promise<readonly SourceRevision[]> {
  const known = new Set(records.flatMap(({ before, after }) => [before?.version, after?.version]));
  const revisions: SourceRevision[] = [];
  for await (const { text: _, ...revision } of revisionsOf(route, actor)) {
    if (!known.has(revision.version)) revisions.push({ source: route.address.mount, ...revision });
    if (revisions.length === SHOWN) break;
  }
  return revisions;
}

/** One state in a line: when, who, which version and why. */
export function revisionLine({ at, author, version, message, source }: SourceRevision): string {
  const [reason = ""] = (message ?? "").split("\n");
  return `${at.toISOString()}  ${author ?? "-"}  ${version}  in ${source}${reason === "" ? "" : `  ${reason}`}`;
}

/**
 * What made the state with that version, or the newest state, of the one before it.
 *
 * Contract: absent when the source remembers no such state. The beginning of a version is enough.
 */
export async function sourceDiff(route: Route, actor: Actor, version = ""): Promise<string | undefined> {
  let found: TextRevision | undefined;
  for await (const revision of revisionsOf(route, actor)) {
    if (found !== undefined) return diffBetween(route, revision, found);
    if (revision.version.startsWith(version)) found = revision;
  }
  return found && diffBetween(route, undefined, found);
}

function diffBetween({ uri }: Route, before: TextRevision | undefined, after: TextRevision): string {
  const names = {
    before: before === undefined ? "nothing" : `${uri}@${before.version}`,
    after: `${uri}@${after.version}`,
  };
  return createUnifiedDiff(before?.text ?? "", after.text, names);
}

async function* revisionsOf({ source, address }: Route, actor: Actor): AsyncGenerator<TextRevision> {
  if (source.history !== undefined) yield* source.history(address.path, { actor });
}
