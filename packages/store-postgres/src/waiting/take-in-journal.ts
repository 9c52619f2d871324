import type { Database, Transaction } from "@ikigai/database";
import { type JournalRecord, readJournalFile, undoReason } from "@ikigai/memory";
import type { TakeInOptions } from "../audit/audit.ts";
import { keepChunks } from "../journal/journal-chunks.ts";
import { keptText, storableNames } from "../journal/journal-rows.ts";
import { isRefusal, keepRefused } from "./refused-rows.ts";
import { removeSettled, setAside } from "./set-aside.ts";

/** Large texts are compared only where there is something to compare them with. */
const ANY_LIKE_IT = "select from journal where at = $1 and uri = $2 and owner = $3 and agent = $4 limit 1";
/** A text that an earlier version took in is there as it is, one of this version as its chunks. */
const KNOWN = `select id from journal where at = $1 and uri = $2 and owner = $3 and agent = $4
  and (after_chunks = $5 or after_chunks is null and after_text is not distinct from $6)
  and (before_chunks = $7 or before_chunks is null and before_text is not distinct from $8)`;
const INSERT = `insert into journal (at, uri, owner, agent, tool, call_id, conversation, client, reason, undoes,
    before_text, before_chunks, before_version, after_text, after_chunks, after_version, state)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
  on conflict (call_id, owner, uri, after_version) where call_id is not null and state = 'done' do nothing returning id`;
const SETTLE = `update journal set state = $2, after_version = $3 where id = $1 and state = 'intended'`;

/** Entries, and characters of their texts, that are taken in together. */
const BATCH_ENTRIES = 100;
const BATCH_CHARS = 8_000_000;

/**
 * Takes a journal that was kept in a file, while there was no store, into the store.
 *
 * Contract: each entry once, also when several processes try or one ends halfway; a torn line is dropped. An entry gets
 * the store's own number, and what was undone stays known as undone. One that the store refuses is set aside (see
 * `readRefused`) and keeps none of the others from going in. Gives the number of entries read.
 */
export async function takeInJournal(database: Database, path: string, options: TakeInOptions = {}): Promise<number> {
  const files = await setAside(path);
  if (files.length === 0) return 0;
  const records = await readJournalFile(...files);
  const inOrder = records.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const ids = new Map<string, string>();
  const sized: Sized[] = [];
  for (const record of inOrder) {
    try {
      sized.push({ record, chars: (record.before?.text.length ?? 0) + (record.after?.text.length ?? 0) });
    } catch (error) {
      // A piece of its text is missing or damaged in the file, and will be.
      await keepRefused(path, withoutTexts(record), error);
      options.onRefused?.(error);
    }
  }
  for (const batch of batchesOf(sized)) {
    try {
      await takeInBatch(database, batch, ids);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      for (const record of batch) await takeInOrSetAside(database, path, record, ids, options);
    }
  }
  for (const file of files) await removeSettled(file);
  return records.length;
}

/** An entry, and the characters of its texts. */
interface Sized {
  readonly record: JournalRecord;
  readonly chars: number;
}

function withoutTexts({ before, after, ...record }: JournalRecord): object {
  return {
    ...record,
    ...(before !== undefined && { before: { version: before.version } }),
    ...(after !== undefined && { after: { version: after.version } }),
  };
}

function* batchesOf(records: readonly Sized[]): Generator<readonly JournalRecord[]> {
  let batch: JournalRecord[] = [];
  let sum = 0;
  for (const { record, chars } of records) {
    batch.push(record);
    sum += chars;
    if (batch.length < BATCH_ENTRIES && sum < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    sum = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Contract: all or none; `ids` learns the numbers that the store gave. */
async function takeInBatch(
  database: Database,
  records: readonly JournalRecord[],
  ids: Map<string, string>,
): Promise<void> {
  const given = await database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtext('ikigai take in journal'))");
    const known = new Map(ids);
    for (const record of records) {
      const id = await takeIn(tx, record, known);
      if (id !== undefined) known.set(record.id, id);
    }
    return known;
  });
  for (const [id, number] of given) ids.set(id, number);
}

async function takeInOrSetAside(
  database: Database,
  path: string,
  record: JournalRecord,
  ids: Map<string, string>,
  { onRefused }: TakeInOptions,
): Promise<void> {
  try {
    await takeInBatch(database, [record], ids);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await keepRefused(path, record, error);
    onRefused?.(error);
  }
}

async function takeIn(
  tx: Transaction,
  record: JournalRecord,
  ids: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const { at, uri, owner, agent, before, after, state } = record;
  const texts = { before: before?.text, after: after?.text };
  const [old, now] = [keptText(texts.before), keptText(texts.after)];
  const given = [now.chunks, texts.after ?? null, old.chunks, texts.before ?? null];
  const isLikeOne = (await tx.query(ANY_LIKE_IT, [at, uri, owner, agent])).count > 0;
  const known = isLikeOne && (await tx.query<{ id: string }>(KNOWN, [at, uri, owner, agent, ...given]));
  const id = known === false ? undefined : known.rows[0]?.id;
  if (id !== undefined) {
    if (state !== "intended") await tx.query(SETTLE, [id, state, after?.version ?? null]);
    return id;
  }
  const { tool = null, callId = null, conversation = null, client = null } = record;
  const call = [...storableNames([tool, callId, conversation, client]), ...undoOf(record, ids)];
  const states = [old.text, old.chunks, before?.version ?? null, now.text, now.chunks, after?.version ?? null];
  const cuts = [old.cut, now.cut].filter((cut) => cut !== undefined);
  if (cuts.length > 0) await keepChunks(tx, cuts);
  const { rows } = await tx.query<{ id: string }>(INSERT, [at, uri, owner, agent, ...call, ...states, state]);
  return rows[0]?.id;
}

/** Why it was made, and the entry that it took back, which has another number now. */
function undoOf({ reason, undoes }: JournalRecord, ids: ReadonlyMap<string, string>): (string | null)[] {
  if (undoes === undefined) return [reason ?? null, null];
  const now = ids.get(undoes);
  return now === undefined ? [reason ?? null, undoes] : [undoReason(now), now];
}
