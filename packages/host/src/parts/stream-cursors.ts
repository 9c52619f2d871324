import { join } from "node:path";
import type { StreamCursors } from "@ikigai/core/host";
import { createJsonFile } from "@ikigai/permission";
import { z } from "zod";

export interface StreamCursorsOptions {
  readonly stateDirectory: string;
  /** The workspace, as a real path. */
  readonly root: string;
  readonly agent: string;
  /** Whether the place of a stream is kept: of those of the configuration it is, those of our own begin anew. */
  readonly isKept: (mount: string) => boolean;
}

const FILE = "stream-cursors.json";
const placeFile = z.strictObject({ places: z.record(z.string(), z.string()) });

/**
 * How far an agent read the streams of a workspace, in a file that outlives the process.
 *
 * Contract: of two processes that read the same stream the later save counts, so an event may come twice and none is
 * lost.
 */
export function createStreamCursors({ stateDirectory, root, agent, isKept }: StreamCursorsOptions): StreamCursors {
  const file = createJsonFile(join(stateDirectory, FILE), placeFile, { places: {} });
  const keyOf = (mount: string): string => JSON.stringify([root, agent, mount]);
  return {
    async load(mount) {
      return isKept(mount) ? (await file.read()).places[keyOf(mount)] : undefined;
    },
    async save(mount, cursor) {
      if (!isKept(mount)) return;
      await file.update(({ places }) => ({ places: { ...places, [keyOf(mount)]: cursor } }));
    },
  };
}
