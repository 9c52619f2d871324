import { type ClientBase, Query, type QueryConfig, type QueryResult } from "pg";

/**
 * Begins a transaction and runs its first statement, in one round trip.
 *
 * Contract: the two stand or fall together. Where the transaction cannot begin the statement does not run, since the
 * engine skips what follows a failure until the next Sync, and only the statement has one.
 */
export function beginWith(client: ClientBase, begin: string, statement: QueryConfig<unknown[]>): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const extended: QueryConfig<unknown[]> & { queryMode: string } = { ...statement, queryMode: "extended" };
    const query = new Query(extended, (error, results) => {
      if (error) reject(error);
      else resolve([results as unknown as QueryResult].flat().at(-1) as QueryResult);
    });
    const submit = query.submit.bind(query);
    query.submit = (connection) => {
      connection.stream.cork();
      connection.parse({ name: "", text: begin, types: [] }, true);
      connection.bind({}, true);
      connection.execute({}, true);
      // What it gives is how `pg` hears of a statement that cannot be sent.
      const refused = submit(connection);
      connection.stream.uncork();
      return refused;
    };
    client.query(query);
  });
}
