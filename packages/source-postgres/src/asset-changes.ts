import { type DataStreamDefinition, defineDataStream } from "@ikigai/core";
import { currentPosition, followChanges, readPosition, writePosition } from "./change-feed.ts";
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
      const { owner } = options;
      return {
        close,
        async *events({ signal, after }) {
          if (signal.aborted) return;
          const known = after === undefined ? undefined : readPosition(after);
          await ready();
          const from = known ?? (await currentPosition(database, owner));
          for await (const { position, at, program, ...change } of followChanges(database, owner, from, signal)) {
            const who = change.author === undefined ? "" : ` by ${change.author}`;
            const whose = change.owner === owner ? "" : ` of ${change.owner}`;
            const text = `"${change.path}"${whose} was ${change.change}${who}`;
            const own = program !== undefined && program === services.program;
            yield { cursor: writePosition(position), at, text, data: { ...change, own } };
          }
        },
      };
    },
  });
}

/** The stream over a database of its own. */
export const assetChanges: DataStreamDefinition<AssetOptions> = assetChangeStream();
