import type { Documents } from "./documents.ts";
import type { StreamPositions } from "./stream-positions.ts";

interface PositionDocument {
  readonly agent: string;
  readonly stream: string;
  readonly position: string;
}

const POSITIONS = "positions";

/** Positions in plain files. Contract: that of `StreamPositions`, also between processes. */
export function createFilePositions(documents: Documents): StreamPositions {
  const idOf = (agent: string, stream: string): string => JSON.stringify([agent, stream]);
  return {
    load: (agent, stream) =>
      documents.look(async (view) => (await view.get<PositionDocument>(POSITIONS, idOf(agent, stream)))?.position),
    save: (agent, stream, position, merge = (_, latest) => latest) =>
      documents.change(async (change) => {
        const id = idOf(agent, stream);
        const stored = await change.get<PositionDocument>(POSITIONS, id);
        const next = stored === undefined ? position : merge(stored.position, position);
        change.set(POSITIONS, id, { agent, stream, position: next } satisfies PositionDocument);
      }),
  };
}
