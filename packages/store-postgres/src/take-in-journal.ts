import type { Database, Sql } from "@ikigai/database";
import { type JournalRecord, readJournalFile } from "@ikigai/memory";
import { removeSettled, setAside } from "./set-aside.ts";

const UNDO = "undo of ";
const KNOWN = `select id from journal where at = $1 and uri = $2 and owner = $3 and agent = $4
  and after_text is not distinct from $5 and before_text is not distinct from $6`;
const INSERT = `insert into journal (at, uri, owner, agent, tool, call_id, conversation, client, reason,
    before_text, before_version, after_text, after_version, state)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  on conflict (call_id, owner, uri, after_version) where call_id is not null and state = 'done' do nothing returning id`;
const SETTLE = `update journal set state = $2, after_version = $3 where id = $1 and state = 'intended'`;

/**
 * Takes a journal that was kept in a file, while there was no store, into the store.
 *
 * Contract: each entry once, also when several processes try or one ends halfway; a torn line is dropped. An entry gets
 * the store's own number, and what was undone stays known as undone. Gives the number of entries read.
 */
export async function takeInJournal(database: Database, path: string): Promise<number> {
  const files = await setAside(path);
  if (files.length === 0) return 0;
  const records = await readJournalFile(...files);
  const inOrder = records.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  await database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtext('ikigai take in journal'))");
    const ids = new Map<string, string>();
    for (const record of inOrder) {
      const id = await takeIn(tx, record, ids);
      if (id !== undefined) ids.set(record.id, id);
    }
  });
  for (const file of files) await removeSettled(file);
  return records.length;
}

async function takeIn(tx: Sql, record: JournalRecord, ids: ReadonlyMap<string, string>): Promise<string | undefined> {
  const { at, uri, owner, agent, before, after, state } = record;
  const texts = [after?.text ?? null, before?.text ?? null];
  const known = await tx.query<{ id: string }>(KNOWN, [at, uri, owner, agent, ...texts]);
  const id = known.rows[0]?.id;
  if (id !== undefined) {
    if (state !== "intended") await tx.query(SETTLE, [id, state, after?.version ?? null]);
    return id;
  }
  const { tool = null, callId = null, conversation = null, client = null } = record;
  const call = [tool, callId, conversation, client, reasonOf(record, ids)];
  const states = [before?.text ?? null, before?.version ?? null, after?.text ?? null, after?.version ?? null];
  const { rows } = await tx.query<{ id: string }>(INSERT, [at, uri, owner, agent, ...call, ...states, state]);
  return rows[0]?.id;
}

/** An undo names the entry that it took back, which has another number now. */
function reasonOf({ reason }: JournalRecord, ids: ReadonlyMap<string, string>): string | null {
  if (reason === undefined) return null;
  const undone = reason.startsWith(UNDO) ? ids.get(reason.slice(UNDO.length)) : undefined;
  return undone === undefined ? reason : `${UNDO}${undone}`;
}
