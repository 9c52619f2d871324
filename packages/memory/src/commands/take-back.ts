import { type Action, type Actor, IkigaiError } from "@ikigai/core";
import { requireCapability, type Route } from "@ikigai/core/host";
import { type JournalFields, type JournalRecord, undoReason } from "../journal/journal.ts";
import type { FoundAsset } from "../pins/pins.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * The latest change that is neither an undo nor undone.
 *
 * Contract: one that was announced and whose end is not known counts only where the text is not as it was before it.
 */
export function nextToUndo(records: readonly JournalRecord[], present: string | undefined): JournalRecord | undefined {
  const undone = new Set(records.map(({ undoes }) => undoes));
  const isMade = ({ state, before, after }: JournalRecord): boolean =>
    state !== "intended" || before?.text !== present || before?.text === after?.text;
  return records.find((one) => !undone.has(one.id) && one.undoes === undefined && isMade(one));
}

/** Contract: `records` are those of the same text. */
export function isUndone({ id, undoes }: JournalRecord, records: readonly JournalRecord[]): boolean {
  return undoes !== undefined || records.some((one) => one.undoes === id);
}

/** What taking a change back does to the text. Contract: opening what was closed is not an edit like others. */
export function actionOf({ before, after, fields }: JournalRecord): Action {
  if (fields?.before.readOnly !== undefined) return "admin";
  if (before === undefined && after === undefined) return "update";
  return before === undefined ? "delete" : after === undefined ? "create" : "update";
}

/**
 * Takes one change back. A text that it removed gets the attributes of the one at `attributesOf`, of the same source.
 *
 * Contract: `conflict` unless text and fields are exactly as the change left them; then nothing is changed.
 */
export async function takeBack(
  context: CommandContext,
  route: Route,
  record: JournalRecord,
  actor: Actor,
  attributesOf?: string,
): Promise<void> {
  const { source, address } = route;
  const { id, before, after, fields } = record;
  const present = await source.read(address.path, { actor });
  const rewritten = before !== undefined || after !== undefined;
  if (rewritten && present?.text !== after?.text) throw changedSince(route, id);
  const undo = { reason: undoReason(id), undoes: id };
  if (rewritten && before === undefined) {
    await requireCapability(route, "remove").remove(address.path, {
      actor,
      ...undo,
      // A text that was created through a link lies where the link leads.
      keepsLink: true,
      ...(present && { expected: present.version }),
    });
  } else if (fields !== undefined) {
    const found = await context.assets.find(actor.agent, address.path);
    if (after !== undefined || !rewritten) assertFields(found, fields.after, route, id);
    const text = before === undefined ? {} : { text: before.text, expected: present?.version ?? null };
    await context.assets.change(address.path, { ...text, fields: fields.before, ...undo }, actor);
  } else {
    await requireCapability(route, "write").write(address.path, (before as { text: string }).text, {
      actor,
      ...undo,
      expected: present?.version ?? null,
      ...(attributesOf !== undefined && { attributesOf }),
    });
  }
}

function assertFields(found: FoundAsset | undefined, fields: JournalFields, route: Route, id: string): void {
  const names = Object.keys(fields) as (keyof JournalFields)[];
  if (found === undefined || names.some((name) => found[name] !== fields[name])) throw changedSince(route, id);
}

export function changedSince({ uri }: Route, id: string): IkigaiError {
  return new IkigaiError("conflict", `${uri} was changed after entry ${id}`, {
    hint: "Undo the later changes first, or edit it by hand.",
  });
}
