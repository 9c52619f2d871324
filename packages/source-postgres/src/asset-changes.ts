import { type DataStreamDefinition, defineDataStream, type StreamEvent } from "@ikigai/core";
import { readAssetPosition, toAssetEvent } from "@ikigai/core/assets";
import type { Database } from "@ikigai/database";
import { currentPosition, followChanges } from "./change-feed.ts";
import { type AssetOptions, type AssetServices, openStore, optionsSchema } from "./open-store.ts";

/**
 * The changes of an owner's assets, and of those shared with it, as a stream that can be continued anywhere.
 *
 * Contract: a cursor stays good as long as the store; without one the stream begins with the next change. The data of
 * an event says whether it was made over the same services, so by this program.
 */
export function assetChangeStream(services: AssetServices = {}): DataStreamDefinition<AssetOptions> {
  return defineDataStream<AssetOptions>({
    name: "PostgresAssetChanges",
    capabilities: ["replay"],
    options: optionsSchema(services),
    async open(options) {
      const { database, ready, close } = openStore(options, services);
      return {
        close,
        async *events({ signal, after }) {
          if (signal.aborted) return;
          if (after !== undefined) readAssetPosition(after);
          await ready();
          yield* followAssets(database, options.owner, { signal, after, program: services.program });
        },
      };
    },
  });
}

export interface FollowAssetsOptions {
  readonly signal: AbortSignal;
  /** Absent: from the next change on. */
  readonly after?: string | undefined;
  /** Whose changes are marked as own. Absent: nobody's. */
  readonly program?: string | undefined;
}

/** The changes of the assets that `owner` can see, in words. Contract: as {@link assetChangeStream}. */
export async function* followAssets(
  database: Database,
  owner: string,
  { signal, after, program }: FollowAssetsOptions,
): AsyncGenerator<StreamEvent> {
  if (signal.aborted) return;
  const from = after === undefined ? await currentPosition(database, owner) : readAssetPosition(after);
  for await (const change of followChanges(database, owner, from, signal)) yield toAssetEvent(change, owner, program);
}

/** The stream over a database of its own. */
export const assetChanges: DataStreamDefinition<AssetOptions> = assetChangeStream();
