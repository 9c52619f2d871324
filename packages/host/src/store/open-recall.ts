import { withHint } from "@ikigai/core/host";
import type { RecallStore, SqlClient } from "@ikigai/recall";
import type { PartModules } from "../parts/features.ts";
import type { RecallConfig } from "../configuration/recall-config.ts";
import { chooseEmbedder, type EmbedderRuns } from "./choose-embedder.ts";

export interface OpenRecallOptions {
  readonly recall?: RecallConfig;
  readonly background?: boolean;
  readonly runs?: EmbedderRuns;
  readonly warn?: (message: string) => void;
}

/** The archive, with the embedder of the configuration. */
export interface OpenRecall extends AsyncDisposable {
  readonly store: RecallStore;
}

/** A local model works in this process, so little is given to it at a time and others are served in between. */
const BACKGROUND_BATCH = 8;

/** Contract: with `background`, what is stored gets its vectors until it is disposed of; failures are told once. */
export function openRecall(
  client: SqlClient,
  { recall = {}, background, runs, warn }: OpenRecallOptions,
  part: PartModules["@ikigai/recall"],
): OpenRecall {
  const { languages, embedder: chosen } = recall;
  const store = part.createPostgresRecall(client, {
    ...(languages !== undefined && { languages }),
    ...(chosen !== undefined && { embedder: chooseEmbedder(chosen, part, { runs }) }),
  });
  const { embedding } = store;
  if (embedding === undefined || background !== true) return { store, async [Symbol.asyncDispose]() {} };
  const kept = part.keepEmbedding(embedding, {
    batch: chosen?.batch ?? BACKGROUND_BATCH,
    onFailure(error) {
      const { message, hint } = error as { message: string; hint?: string };
      warn?.(`entries are not embedded for now: ${withHint(message, hint)}`);
    },
  });
  return {
    store: {
      ...store,
      async insert(entries, call) {
        const inserted = await store.insert(entries, call);
        kept.nudge();
        return inserted;
      },
      async mirror(texts, call) {
        await store.mirror(texts, call);
        kept.nudge();
      },
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}
