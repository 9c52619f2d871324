import { type DataStreamDefinition, defineDataStream, formatAddress, messageOf, type StreamEvent } from "@ikigai/core";
import { laterAssetPosition } from "@ikigai/core/assets";
import { type StreamNotice } from "@ikigai/core/host";
import { z } from "zod";
import { ASSETS } from "../policy/host-policy.ts";
import type { HostStore, StoreInUse } from "./host-store.ts";
import { ASSET_CHANGES } from "../policy/own-mounts.ts";

export interface AssetStreamOptions {
  readonly store: Pick<HostStore, "whenOpened">;
  readonly agent: string;
  /** Whether to go on where the agent's last conversation stopped hearing. Otherwise only what comes is told. */
  readonly resume: boolean;
  readonly complain: (message: string) => void;
}

/** What other programs do to an agent's assets. */
export interface AssetStream {
  readonly source: DataStreamDefinition<object>;
  /** The conversation has these now, so they need not be told again. Contract: never throws. */
  taken(notices: readonly StreamNotice[]): void;
  /** Resolves when the place is safe. */
  settled(): Promise<void>;
}

/**
 * The changes of assets by others, from the place in the store where the agent stopped hearing.
 *
 * Contract: starts no store; begins when somebody else needed it. A change that no conversation took is told again by
 * the next program.
 */
export function createAssetStream({ store, agent, resume, complain }: AssetStreamOptions): AssetStream {
  let opened: StoreInUse | undefined;
  let saving: Promise<void> = Promise.resolve();
  let waiting = 0;
  let heard: string | undefined;

  function save(cursor: string): void {
    if (!resume) return;
    saving = saving.then(async () => {
      await opened?.positions.save(agent, ASSET_CHANGES, cursor, laterAssetPosition);
    });
    saving = saving.catch((error: unknown) => complain(`${ASSET_CHANGES}: ${messageOf(error)}`));
  }

  async function begin({ assets, positions }: StoreInUse): Promise<string> {
    const stored = resume ? await positions.load(agent, ASSET_CHANGES) : undefined;
    if (stored !== undefined) return stored;
    const now = await assets.position(agent);
    save(now);
    return now;
  }

  const source = defineDataStream<object>({
    name: "AssetChanges",
    capabilities: ["replay"],
    options: z.strictObject({}),
    open: async () => ({
      async *events({ signal, after }) {
        opened = await untilAborted(store.whenOpened, signal);
        if (opened === undefined) return;
        const from = after ?? (await begin(opened));
        for await (const event of opened.assets.changes(agent, { signal, after: from })) {
          heard = event.cursor;
          const { own, ...change } = event.data as { own: boolean; path: string };
          if (own) continue;
          waiting += 1;
          const uri = formatAddress({ mount: ASSETS, path: change.path });
          yield { ...event, data: { ...change, uri } } satisfies StreamEvent;
        }
      },
    }),
  });

  return {
    source,
    taken(notices) {
      const last = notices.findLast(({ mount }) => mount === ASSET_CHANGES);
      if (last === undefined) return;
      waiting -= notices.filter(({ mount }) => mount === ASSET_CHANGES).length;
      save(last.event.cursor);
    },
    async settled() {
      // Own changes need not be told to the next program, unless something before them still waits.
      if (heard !== undefined && waiting === 0) save(heard);
      await saving;
    },
  };
}

/** Contract: absent when it was aborted first. */
async function untilAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    wait.then(resolve, reject);
  });
}
