import { type Actor, IkigaiError } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";
import { journalledUris } from "../journal/changed-path.ts";
import type { JournalRecord, PrunedHistory } from "../journal/journal.ts";
import { type CommandContext, ownersOf } from "./command-context.ts";
import { nextToUndo } from "./take-back.ts";

/** Undo looks this far back. */
const LOOK_BACK = 500;

/** What the journal has of one text. */
export interface FoundRecords {
  readonly owners: readonly string[];
  /** Newest first. */
  readonly records: readonly JournalRecord[];
  readonly pruned: PrunedHistory | undefined;
}

/** Finds what the journal has of a text, under whoever it keeps it. */
export async function findRecords(
  context: CommandContext,
  route: Route,
  actor: Actor,
  limit?: number,
): Promise<FoundRecords> {
  const { journal } = context;
  const owners = await ownersOf(context, route, actor);
  const options = limit === undefined ? {} : { limit };
  const each = journalledUris(route).flatMap((uri) => owners.map((owner) => ({ uri, owner })));
  const records = await Promise.all(each.map(({ uri, owner }) => journal.history(uri, { owner, ...options })));
  const pruned = await Promise.all(each.map(({ uri, owner }) => journal.pruned(uri, { owner })));
  return {
    owners,
    records: records.flat().toSorted((a, b) => Number(b.id) - Number(a.id)),
    pruned: pruned.find((one) => one !== undefined),
  };
}

/** The entry of that id, or the next one to undo. Contract: `not_found` says whether there never was one or it is pruned. */
export async function pickRecord(
  context: CommandContext,
  place: string,
  route: Route,
  id: string | undefined,
  actor: Actor,
): Promise<JournalRecord> {
  const found = await findRecords(context, route, actor, LOOK_BACK);
  const { records, pruned } = found;
  const record = id === undefined ? await latest(route, records, actor) : await entryOf(context, id, route, found);
  if (record !== undefined) return record;
  if (pruned !== undefined) throw isPruned(route, id, pruned);
  const what = id !== undefined ? `no entry ${id}` : records.length === 0 ? "no change" : "nothing more to undo";
  throw new IkigaiError("not_found", `The journal has ${what} of ${route.uri}`, { hint: `See /history ${place}` });
}

/** The error that what is asked for is no longer kept. */
export function isPruned({ uri }: Route, id: string | undefined, { count, until }: PrunedHistory): IkigaiError {
  const what = id === undefined ? "Earlier changes" : `Entry ${id}`;
  return new IkigaiError(
    "not_found",
    `${what} of ${uri} cannot be shown or undone: what is older than ${until.toISOString()} is no longer kept (${count} so far)`,
    { hint: "How long entries are kept is set by retention.journal in the configuration." },
  );
}

async function latest(
  { source, address }: Route,
  records: readonly JournalRecord[],
  actor: Actor,
): Promise<JournalRecord | undefined> {
  const isOpen = records.some(({ state }) => state === "intended");
  return nextToUndo(records, isOpen ? (await source.read(address.path, { actor }))?.text : undefined);
}

/** Contract: absent when the entry is of another text. */
async function entryOf(
  { journal }: CommandContext,
  id: string,
  route: Route,
  { owners, pruned }: FoundRecords,
): Promise<JournalRecord | undefined> {
  try {
    const record = await journal.get(id);
    return journalledUris(route).includes(record.uri) && owners.includes(record.owner) ? record : undefined;
  } catch (error) {
    if (!IkigaiError.is(error, "not_found")) throw error;
    if (pruned !== undefined && Number(id) > Number(pruned.lastId)) throw error;
    return undefined;
  }
}
