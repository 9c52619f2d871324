import { type Actor, IkigaiError } from "@ikigai/core";
import type { Route } from "@ikigai/core/host";
import type { JournalRecord } from "../journal/journal.ts";
import { type CommandContext, ownersOf } from "./command-context.ts";
import { describeRecord } from "./show-record.ts";
import { changedSince, isUndone, takeBack } from "./take-back.ts";

/** A change, and where its text is. */
export interface Change {
  readonly route: Route;
  readonly record: JournalRecord;
}

/** Looks this far back for whether a change is undone. */
const LOOK_BACK = 500;

/**
 * A change with the others of its call, newest first: a rename is undone as a whole or not at all.
 *
 * Contract: a call that changed one text only is undone entry by entry, so then it is the change alone. What is undone
 * already, or is another's text, is left out.
 */
export async function changesOfCall(context: CommandContext, change: Change, actor: Actor): Promise<readonly Change[]> {
  const { callId, conversation, agent, uri, id } = change.record;
  const ofCall = callId === undefined ? [] : await context.journal.ofCall(callId);
  const own = ofCall.filter((one) => one.conversation === conversation && one.agent === agent);
  if (own.every((one) => one.uri === uri)) return [change];
  const changes: Change[] = [];
  for (const record of own) {
    const route = context.sources.route(record.uri);
    if (!(await ownersOf(context, route, actor)).includes(record.owner)) continue;
    const later = await context.journal.history(record.uri, { owner: record.owner, limit: LOOK_BACK });
    if (record.id === id || !isUndone(record, later)) changes.push({ route, record });
  }
  return changes.some(({ record }) => record.id === id) ? changes : [change];
}

/**
 * Takes changes back in the order given.
 *
 * Contract: `conflict`, and nothing is changed, unless every text is as these changes left it.
 */
export async function takeAllBack(context: CommandContext, changes: readonly Change[], actor: Actor): Promise<string> {
  const texts = new Map<string, string | undefined>();
  for (const { route, record } of changes) {
    const { uri, address, source } = route;
    if (record.before === undefined && record.after === undefined) continue;
    if (!texts.has(uri)) texts.set(uri, (await source.read(address.path, { actor }))?.text);
    if (texts.get(uri) !== record.after?.text) throw await whyNotAsLeft(context, { route, record });
    texts.set(uri, record.before?.text);
  }
  const done: string[] = [];
  for (const { route, record } of changes) {
    try {
      await takeBack(context, route, record, actor, movedTo(changes, { route, record }));
    } catch (error) {
      throw done.length === 0 || !IkigaiError.is(error) ? error : halfway(error, done);
    }
    done.push(`Took back change ${record.id} of ${route.uri} (${describeRecord(record)}).`);
  }
  return done.join("\n");
}

/** Why a text is not as a change left it: the change is taken back already, or another came after it. */
async function whyNotAsLeft({ journal }: CommandContext, { route, record }: Change): Promise<IkigaiError> {
  const { uri, owner, id } = record;
  const later = await journal.history(uri, { owner, limit: LOOK_BACK });
  if (!later.some(({ undoes }) => undoes === id)) return changedSince(route, id);
  return new IkigaiError("conflict", `Change ${id} of ${uri} was taken back by another call meanwhile`, {
    hint: `Nothing was done now. See /history ${uri}, then undo again for the change before.`,
  });
}

/** Where a removed text was written in the same call, in the same source: it was moved there, with its attributes. */
function movedTo(changes: readonly Change[], { route, record }: Change): string | undefined {
  if (record.before === undefined || record.after !== undefined) return undefined;
  const { mount } = route.address;
  const made = changes.filter((one) => one.record.before === undefined && one.route.address.mount === mount);
  const same = made.filter((one) => one.record.after?.text === record.before?.text);
  // A renamed note may link to itself, and then its text is another.
  const [only, ...others] = same.length > 0 ? same : made;
  return others.length > 0 && same.length === 0 ? undefined : only?.route.address.path;
}

function halfway(error: IkigaiError, done: readonly string[]): IkigaiError {
  return new IkigaiError(error.code, `${error.message}. Before that: ${done.join(" ")}`, {
    hint: "Undo the rest by the ids that /history shows.",
    cause: error,
  });
}
