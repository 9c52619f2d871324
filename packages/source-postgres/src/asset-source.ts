import {
  type TextFeatures,
  type TextReader,
  type DataBlockDefinition,
  defineDataBlock,
  IkigaiError,
  type RemoveOptions,
  type SourceCallOptions,
  type WriteOptions,
} from "@ikigai/core";
import { assetGuidance } from "@ikigai/core/assets";
import { followChanges, positionAt } from "./change-feed.ts";
import type { ChangeOptions } from "./change-asset.ts";
import { type AssetOptions, type AssetServices, openStore, optionsSchema } from "./open-store.ts";

type AssetCapability = "write" | "remove" | "watch" | "history";

/** Assets over a database that the host shares, with the host's counter and hooks. */
export function postgresAssetSource(services: AssetServices = {}): DataBlockDefinition<AssetOptions, AssetCapability> {
  return defineDataBlock<AssetOptions, AssetCapability>({
    name: "PostgresAssetSource",
    capabilities: ["write", "remove", "watch", "history"],
    options: optionsSchema(services),
    guidance: assetGuidance,
    open: async (options) => openAssetSource(options, services),
  });
}

/** Assets over a database of their own, in a folder or on a server. */
export const postgresAssets: DataBlockDefinition<AssetOptions, AssetCapability> = postgresAssetSource();

/** Opens assets as a source of texts. Contract: connects when it is first used. */
export function openAssetSource(options: AssetOptions, services: AssetServices): TextReader & TextFeatures {
  const { store, database, ready, close } = openStore(options, services);
  /** The last own change of each owner: what a watch that begins now has not to report. */
  let written = 0n;

  function change({ actor, signal, ...rest }: WriteOptions | RemoveOptions): ChangeOptions {
    return {
      agent: agentOf({ ...(actor !== undefined && { actor }) }),
      ...(actor !== undefined && { actor }),
      ...(signal !== undefined && { signal }),
      ...rest,
    };
  }

  function agentOf({ actor }: SourceCallOptions): string {
    return actor?.agent ?? options.owner;
  }

  return {
    async read(path, call = {}) {
      await begin(call);
      const found = await store.read(agentOf(call), path);
      return found === undefined ? undefined : { text: found.text, version: found.version };
    },
    async *list(prefix, call = {}) {
      await begin(call);
      const { signal } = call;
      for await (const { path, bytes, updatedAt } of store.list(agentOf(call), prefix, signal && { signal })) {
        yield { path, bytes, modifiedAt: updatedAt };
      }
    },
    async write(path, text, call = {}) {
      await begin(call);
      const saved = await store.write(path, text, change(call));
      if (agentOf(call) === options.owner) written = BigInt(saved.version);
      return { text: saved.text, version: saved.version };
    },
    async remove(path, call = {}) {
      await begin(call);
      await store.remove(path, change(call));
    },
    async *watch({ signal }) {
      if (signal.aborted) return;
      const moment = performance.now();
      const seen = written;
      await ready();
      const then = await positionAt(database, options.owner, moment);
      const own = BigInt(then[options.owner] ?? 0);
      const from = { ...then, [options.owner]: String(own > seen ? own : seen) };
      for await (const { path, change: kind } of followChanges(database, options.owner, from, signal)) {
        yield { path, change: kind };
      }
    },
    async *history(path, call = {}) {
      await begin(call);
      yield* store.history(agentOf(call), path);
    },
    close,
  };

  async function begin({ signal }: SourceCallOptions): Promise<void> {
    if (signal?.aborted) throw new IkigaiError("aborted", "The call was aborted", { cause: signal.reason });
    await ready();
  }
}
