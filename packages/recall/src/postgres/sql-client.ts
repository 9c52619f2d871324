/** Rows that a statement gave. */
export interface SqlRows<Row> {
  readonly rows: readonly Row[];
}

/** Something that runs SQL. */
export interface Sql {
  /** Contract: one statement, parameters written `$1`. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<SqlRows<Row>>;
}

/** The little of a PostgreSQL client that recall needs. A `Database` of `@ikigai/database` is one, so is PGlite. */
export interface SqlClient extends Sql {
  /** Contract: commits when `work` resolves, rolls back when it rejects. `work` may run again after a collision. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

/** A list as one text parameter, since clients differ in how they send arrays. Numbers only. */
export function arrayOf(values: Iterable<number | string>): string {
  return `{${[...values].join(",")}}`;
}
