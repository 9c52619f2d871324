import type { Database } from "@ikigai/database";
import type { StreamPositions } from "@ikigai/memory";

/** Positions in the store. Contract: that of `StreamPositions`, also between processes. */
export function createStreamPositions(database: Database): StreamPositions {
  return {
    async load(agent, stream) {
      const { rows } = await database.query<{ cursor: string }>(
        "select cursor from stream_cursor where agent = $1 and stream = $2",
        [agent, stream],
      );
      return rows[0]?.cursor;
    },
    async save(agent, stream, cursor, merge = (_, latest) => latest) {
      await database.transaction(async (tx) => {
        await tx.query(
          "insert into stream_cursor (agent, stream, cursor) values ($1, $2, $3) on conflict (agent, stream) do nothing",
          [agent, stream, cursor],
        );
        const { rows } = await tx.query<{ cursor: string }>(
          "select cursor from stream_cursor where agent = $1 and stream = $2 for update",
          [agent, stream],
        );
        const next = merge(rows[0]?.cursor ?? cursor, cursor);
        await tx.query(
          "update stream_cursor set cursor = $3, at = clock_timestamp() where agent = $1 and stream = $2",
          [agent, stream, next],
        );
        return null;
      });
    },
  };
}
