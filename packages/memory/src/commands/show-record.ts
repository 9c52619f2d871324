import type { JournalFields, JournalRecord, PrunedHistory } from "../journal/journal.ts";
import { createUnifiedDiff } from "../text/unified-patch.ts";

/** A change in one line. */
export function lineOf(record: JournalRecord): string {
  const { id, at, agent, client, tool, reason, state } = record;
  const who = client === undefined ? agent : `${agent} (${client})`;
  const open = state === "intended" ? "  (announced, its end is not known)" : "";
  return `${id.padStart(6)}  ${at.toISOString()}  ${who}  ${tool ?? "-"}  ${describeRecord(record)}${reason === undefined ? "" : `  ${reason}`}${open}`;
}

/** What a change did, in a few words. */
export function describeRecord({ before, after, fields }: JournalRecord): string {
  const rewritten = before !== undefined || after !== undefined;
  const text = !rewritten ? [] : [before === undefined ? "created" : after === undefined ? "removed" : "changed"];
  // The fields of a removed text are not listed: they went with the text.
  return [...text, ...(rewritten && after === undefined ? [] : describeFields(fields?.after ?? {}))].join(", ");
}

/** Says that there was more once. */
export function prunedLine({ count, until }: PrunedHistory): string {
  const what = count === 1 ? "entry" : "entries";
  return `        ${count} earlier ${what} up to ${until.toISOString()} ${count === 1 ? "is" : "are"} no longer kept`;
}

/** A unified diff of the text, then of what else changed. */
export function diffOf({ uri, before, after, fields }: JournalRecord): string {
  const rewritten = before !== undefined || after !== undefined;
  const text = rewritten ? createUnifiedDiff(before?.text ?? "", after?.text ?? "", { before: uri, after: uri }) : "";
  if (fields === undefined) return text;
  const names = { before: `${uri} (fields)`, after: `${uri} (fields)` };
  return `${text}${createUnifiedDiff(listFields(fields.before), listFields(fields.after), names)}`;
}

function describeFields({ pinned, archived, readOnly, category, description }: JournalFields): string[] {
  return [
    ...(archived === undefined ? [] : [archived ? "archived" : "brought back"]),
    ...(pinned === undefined ? [] : [pinned ? "pinned" : "unpinned"]),
    ...(readOnly === undefined ? [] : [readOnly ? "made read-only" : "made writable"]),
    ...(category === undefined ? [] : [`category ${category}`]),
    ...(description === undefined ? [] : [`description ${JSON.stringify(description)}`]),
  ];
}

function listFields(fields: JournalFields): string {
  return Object.entries(fields)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${String(value)}\n`)
    .join("");
}
