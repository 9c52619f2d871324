import type { Database } from "@ikigai/database";
import {
  type CutText,
  cutText,
  joinText,
  type JournalEntry,
  type JournalRecord,
  MIN_CUT_CHARS,
  storableName,
  storableText,
  type StoredChunk,
} from "@ikigai/memory";
import { changedPassage } from "./changed-passage.ts";
import { loadChunks } from "./journal-chunks.ts";

/** An entry as its table has it. Contract: of each side the text or its chunks, or neither. */
export interface JournalRow {
  readonly id: string;
  readonly at: Date;
  readonly uri: string;
  readonly owner: string;
  readonly agent: string;
  readonly tool: string | null;
  readonly call_id: string | null;
  readonly conversation: string | null;
  readonly client: string | null;
  readonly reason: string | null;
  readonly undoes: string | null;
  readonly before_text: string | null;
  readonly before_chunks: Buffer | null;
  readonly before_version: string | null;
  readonly after_text: string | null;
  readonly after_chunks: Buffer | null;
  readonly after_version: string | null;
  readonly after_from: number | null;
  readonly after_to: number | null;
  readonly fields: string | null;
  readonly state: JournalRecord["state"];
}

/** A text as a row keeps it: itself, or the list of its chunks. */
export interface KeptText {
  readonly text: string | null;
  readonly chunks: Buffer | null;
  /** What has to be kept beside the row. */
  readonly cut?: CutText;
}

/** Characters that a reason may have in a row. */
const MAX_REASON = 20_000;

/** Names and ids of foreign origin must not make a row that cannot be stored. */
export function storableNames(names: readonly (string | null)[]): (string | null)[] {
  return names.map((name) => (name === null ? null : storableName(name)));
}

/** Contract: a text with a NUL is never cut, so that the table refuses it whatever its length. */
export function keptText(text: string | undefined): KeptText {
  const cut = text === undefined || text.includes("\0") ? undefined : cutText(text);
  return cut === undefined ? { text: text ?? null, chunks: null } : { text: null, chunks: cut.root, cut };
}

/** The values of an entry's row in the order of the table, but for its state, and the texts that were cut for it. */
export function rowOf({ uri, owner, agent, actor, reason, undoes, before, after, fields }: JournalEntry): {
  readonly values: readonly unknown[];
  readonly cuts: readonly CutText[];
} {
  const { tool = null, callId = null, conversation = null, client = null } = actor ?? {};
  const why = reason === undefined ? null : storableText(reason, MAX_REASON);
  const call = [...storableNames([tool, callId, conversation, client]), why, undoes ?? null];
  const passage = before && after && changedPassage(before.text, after.text);
  // A long passage has most of its chunks in common with the text that it replaces.
  const isShort = passage !== undefined && passage[0].length < MIN_CUT_CHARS;
  const [from, to] = isShort ? [passage[1], passage[2]] : [null, null];
  const old = keptText(before?.text);
  const now = isShort ? { text: passage[0], chunks: null } : keptText(after?.text);
  const sides = [old.text, old.chunks, before?.version ?? null, now.text, now.chunks, after?.version ?? null, from, to];
  return {
    values: [uri, owner, agent, ...call, ...sides, fields === undefined ? null : JSON.stringify(fields)],
    cuts: [old.cut, "cut" in now ? now.cut : undefined].filter((cut) => cut !== undefined),
  };
}

/**
 * The entries whose rows a query gives.
 *
 * Contract: a text is put together when it is asked for. One whose chunks are not whole is `unavailable` then and names
 * its entry, and keeps no other from being read.
 */
export async function readRecords(
  database: Database,
  text: string,
  values: readonly unknown[],
): Promise<readonly JournalRecord[]> {
  const { rows } = await database.query<JournalRow>(text, values);
  if (rootsOf(rows).length === 0) return toRecords(rows, new Map());
  // Rows and chunks of one moment: others may be letting go of both.
  return database.transaction(
    async (tx) => {
      const { rows: again } = await tx.query<JournalRow>(text, values);
      return toRecords(again, await loadChunks(tx, rootsOf(again)));
    },
    { isolation: "repeatable read" },
  );
}

function rootsOf(rows: readonly JournalRow[]): readonly Buffer[] {
  return rows.flatMap((row) => [row.before_chunks, row.after_chunks]).filter((root) => root !== null);
}

function toRecords(rows: readonly JournalRow[], chunks: ReadonlyMap<string, StoredChunk>): readonly JournalRecord[] {
  const textOf = ({ id, uri }: JournalRow, text: string | null, root: Buffer | null): string =>
    root === null ? (text ?? "") : joinText(root, (key) => chunks.get(key), `the journal entry ${id} of ${uri}`);
  const beforeOf = (row: JournalRow): string => textOf(row, row.before_text, row.before_chunks);
  const afterOf = (row: JournalRow): string => {
    const { after_from: from, after_to: to } = row;
    const text = textOf(row, row.after_text, row.after_chunks);
    if (from === null || to === null) return text;
    const before = beforeOf(row);
    return before.slice(0, from) + text + before.slice(to);
  };
  return rows.map((row) => toRecord(row, beforeOf, afterOf));
}

type TextOf = (row: JournalRow) => string;

function toRecord(row: JournalRow, beforeOf: TextOf, afterOf: TextOf): JournalRecord {
  return {
    id: row.id,
    at: row.at,
    uri: row.uri,
    owner: row.owner,
    agent: row.agent,
    state: row.state,
    ...(row.tool !== null && { tool: row.tool }),
    ...(row.call_id !== null && { callId: row.call_id }),
    ...(row.conversation !== null && { conversation: row.conversation }),
    ...(row.client !== null && { client: row.client }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.undoes !== null && { undoes: row.undoes }),
    ...((row.before_text ?? row.before_chunks) !== null && {
      before: {
        get text() {
          return beforeOf(row);
        },
        version: row.before_version ?? "",
      },
    }),
    ...((row.after_text ?? row.after_chunks) !== null && {
      after: {
        get text() {
          return afterOf(row);
        },
        version: row.after_version ?? "",
      },
    }),
    ...(row.fields !== null && { fields: JSON.parse(row.fields) as NonNullable<JournalEntry["fields"]> }),
  };
}
