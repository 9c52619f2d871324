import type { Database, Sql, Transaction } from "@ikigai/database";
import { type ChunkPacking, type CutText, keysOf, packChunk, type StoredChunk, type TextChunk } from "@ikigai/memory";

/** Who keeps chunks for a row holds this until the row is there; who removes chunks that no row names holds it alone. */
const LOCK = "hashtextextended('ikigai journal chunks ' || current_schema(), 0)";

/** The hashes of a list, one in each row. */
const hashesIn = (list: string): string =>
  `select substr(${list}, n * 32 + 1, 32) as hash from generate_series(0, length(${list}) / 32 - 1) n`;

const KNOWN = `select hash from journal_chunk where hash in (${hashesIn("$1::bytea")})`;
const LOAD = `select hash, packing, bytes from journal_chunk where hash in (${hashesIn("$1::bytea")})`;
/** The bytes of all chunks are one value, because a list of values would be sent as text. */
const INSERT = `insert into journal_chunk (hash, packing, bytes)
  select substr($1::bytea, (n::int - 1) * 32 + 1, 32), packing, substr($5::bytea, start, length)
  from unnest($2::text[], $3::int[], $4::int[]) with ordinality as chunk (packing, start, length, n)
  on conflict (hash) do nothing`;

const NAMED = `select named.hash from journal j,
    lateral (${hashesIn("j.before_chunks")} union all ${hashesIn("j.after_chunks")}) named
  where j.before_chunks is not null or j.after_chunks is not null`;
const REMOVE_LISTS = `delete from journal_chunk c
  where c.packing = 'list' and not exists (select from (${NAMED}) named where named.hash = c.hash)`;
const REMOVE_PIECES = `with named as (${NAMED}
    union all select listed.hash from journal_chunk l, lateral (${hashesIn("l.bytes")}) listed where l.packing = 'list')
  delete from journal_chunk c
  where c.packing <> 'list' and not exists (select from named where named.hash = c.hash)`;

/** Chunks that are read at once, and bytes that are written at once. */
const LOADED_CHUNKS = 1_000;
const WRITTEN_BYTES = 4 * 1024 * 1024;

/**
 * Keeps the chunks of texts for a row that is written in the same transaction.
 *
 * Contract: those that are there already are kept as they are, and none of them is removed before the transaction ends.
 */
export async function keepChunks(tx: Transaction, cuts: readonly CutText[]): Promise<void> {
  const chunks = new Map(cuts.flatMap(({ chunks: own }) => [...own]));
  tx.send(`select pg_advisory_xact_lock_shared(${LOCK})`);
  const { rows } = await tx.query<{ hash: Buffer }>(KNOWN, [toBytes([...chunks.keys()])]);
  for (const { hash } of rows) chunks.delete(hash.toString("hex"));
  // In one order, so that two who keep the same chunks wait for each other and not in a circle.
  const missing = [...chunks.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  for (const batch of batchesOf(missing)) tx.send(INSERT, insertValues(await Promise.all(batch.map(packChunk))));
}

/** The chunks of lists of hashes, by key. Contract: those that are not there are left out. */
export async function loadChunks(sql: Sql, roots: readonly Uint8Array[]): Promise<ReadonlyMap<string, StoredChunk>> {
  const found = new Map<string, StoredChunk>();
  const load = async (keys: ReadonlySet<string>): Promise<void> => {
    const wanted = [...keys].filter((key) => !found.has(key));
    for (let at = 0; at < wanted.length; at += LOADED_CHUNKS) {
      const { rows } = await sql.query<{ hash: Buffer; packing: ChunkPacking; bytes: Buffer }>(LOAD, [
        toBytes(wanted.slice(at, at + LOADED_CHUNKS)),
      ]);
      for (const { hash, packing, bytes } of rows) {
        const key = hash.toString("hex");
        found.set(key, { key, packing, bytes });
      }
    }
  };
  await load(new Set(roots.flatMap(keysOf)));
  const lists = [...found.values()].filter(({ packing }) => packing === "list");
  await load(new Set(lists.flatMap(({ bytes }) => keysOf(bytes))));
  return found;
}

/**
 * Removes the chunks that no row names. Gives their number.
 *
 * Contract: one that a row of another process is about to name is not removed: the two wait for each other.
 */
export async function removeUnnamedChunks(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(${LOCK})`);
    const lists = await tx.query(REMOVE_LISTS);
    const pieces = await tx.query(REMOVE_PIECES);
    return lists.count + pieces.count;
  });
}

function* batchesOf(chunks: readonly TextChunk[]): Generator<readonly TextChunk[]> {
  let batch: TextChunk[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    batch.push(chunk);
    bytes += chunk.bytes.length;
    if (bytes < WRITTEN_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function insertValues(chunks: readonly StoredChunk[]): unknown[] {
  let at = 1;
  const starts = chunks.map(({ bytes }) => {
    const start = at;
    at += bytes.length;
    return start;
  });
  return [
    toBytes(chunks.map(({ key }) => key)),
    chunks.map(({ packing }) => packing),
    starts,
    chunks.map(({ bytes }) => bytes.length),
    Buffer.concat(chunks.map(({ bytes }) => bytes)),
  ];
}

function toBytes(keys: readonly string[]): Buffer {
  return Buffer.from(keys.join(""), "hex");
}
