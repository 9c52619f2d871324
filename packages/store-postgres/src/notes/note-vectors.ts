import type { VectorStore } from "@ikigai/core/host";
import type { Database } from "@ikigai/database";

/**
 * Keeps the vectors of notes in the store.
 *
 * Contract: `scope` keeps apart what has the same address in different places. A scope has the vectors of one model:
 * the first that are saved for another take the place of all.
 */
export function createNoteVectors(database: Database, scope: string): VectorStore {
  return {
    async load(model, mount) {
      const { rows } = await database.query<{ uri: string; version: string; vector: string }>(
        `select uri, version, encode(vector, 'base64') as vector from note_vector
         where scope = $1 and model = $2 and starts_with(uri, $3)`,
        [scope, model, `${mount}:///`],
      );
      return rows.map(({ uri, version, vector }) => ({ uri, version, vector: toNumbers(vector) }));
    },
    async save(model, vectors) {
      const rows = vectors.map(({ uri, version, vector }) => ({ uri, version, vector: toBase64(vector) }));
      await database.transaction(async (transaction) => {
        await transaction.query("delete from note_vector where scope = $1 and model <> $2", [scope, model]);
        await transaction.query(
          `insert into note_vector (scope, model, uri, version, vector)
           select $1, $2, uri, version, decode(vector, 'base64')
           from json_to_recordset($3::json) as r(uri text, version text, vector text)
           on conflict (scope, uri) do update
           set model = excluded.model, version = excluded.version, vector = excluded.vector`,
          [scope, model, JSON.stringify(rows)],
        );
      });
    },
    async remove(uris) {
      await database.query(
        "delete from note_vector where scope = $1 and uri in (select json_array_elements_text($2::json))",
        [scope, JSON.stringify(uris)],
      );
    },
  };
}

const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Little-endian on every machine, since a store may be shared by several. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * BYTES);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * BYTES);
  return bytes.toString("base64");
}

function toNumbers(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  return Float32Array.from({ length: bytes.length / BYTES }, (_, at) => bytes.readFloatLE(at * BYTES));
}
