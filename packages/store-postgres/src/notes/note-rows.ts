import type { RowCodec, RowStore } from "@ikigai/core/host";
import type { Database } from "@ikigai/database";

/**
 * Keeps an index's rows in the store.
 *
 * Contract: `scope` keeps apart what has the same address in different places, such as two workspaces. Rows are kept
 * as `codec` writes them, by default as JSON.
 */
export function createNoteRows<Row extends { readonly uri: string; readonly mount: string }>(
  database: Database,
  scope: string,
  codec: RowCodec<Row> = { encode: (row) => JSON.stringify(row), decode: (text) => JSON.parse(text) as Row },
): RowStore<Row> {
  return {
    async load(mount) {
      const { rows } = await database.query<{ data: string }>(
        "select data from note_row where scope = $1 and mount = $2",
        [scope, mount],
      );
      return rows.map(({ data }) => codec.decode(data, mount));
    },
    async save(changed) {
      if (changed.length === 0) return;
      const rows = changed.map((row) => ({ mount: row.mount, uri: row.uri, data: codec.encode(row) }));
      await database.query(
        `insert into note_row (scope, mount, uri, data)
         select $1, mount, uri, data from json_to_recordset($2::json) as r(mount text, uri text, data text)
         on conflict (scope, uri) do update set mount = excluded.mount, data = excluded.data`,
        [scope, JSON.stringify(rows)],
      );
    },
    async remove(uris) {
      if (uris.length === 0) return;
      await database.query(
        "delete from note_row where scope = $1 and uri in (select json_array_elements_text($2::json))",
        [scope, JSON.stringify(uris)],
      );
    },
  };
}
