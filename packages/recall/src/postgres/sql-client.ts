import type { SqlClient } from "@ikigai/core/host";

export type { SqlClient } from "@ikigai/core/host";

/** Something that runs SQL. */
export type Sql = Pick<SqlClient, "query">;

/** Rows that a statement gave. */
export interface SqlRows<Row> {
  readonly rows: readonly Row[];
}

/** A list as one text parameter, since clients differ in how they send arrays. Numbers only. */
export function arrayOf(values: Iterable<number | string>): string {
  return `{${[...values].join(",")}}`;
}
