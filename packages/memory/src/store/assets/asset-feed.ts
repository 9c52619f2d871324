import { setTimeout as delay } from "node:timers/promises";
import type { AssetPosition, CommittedAssetChange } from "@ikigai/core/assets";
import type { Documents } from "../documents.ts";
import { ASSET_CHANGES, type AssetChangesDocument } from "./asset-documents.ts";

/** Changes of this process are told at once; those of others after this time at the latest. */
const LOOK_EVERY_MS = 500;

/** Who waits for the next change of this process. */
export interface ChangeHints {
  /** Wakes whoever waits. */
  changed(): void;
  /** Resolves with the next change, after some time, or when `signal` aborts. Contract: never rejects. */
  next(signal: AbortSignal): Promise<void>;
}

export function createChangeHints(everyMs: number = LOOK_EVERY_MS): ChangeHints {
  let wake = new AbortController();
  return {
    changed() {
      wake.abort();
      wake = new AbortController();
    },
    next: (signal) =>
      delay(everyMs, undefined, { signal: AbortSignal.any([signal, wake.signal]), ref: false }).catch(() => undefined),
  };
}

/**
 * Where the changes of an owner's assets stand at this moment.
 *
 * Contract: waits for nothing, so that whatever begins after the call is behind the position.
 */
export function positionNow(documents: Documents, owner: string): AssetPosition {
  const known = documents.peek(ASSET_CHANGES, owner) as AssetChangesDocument | undefined;
  const number = known?.number ?? 0;
  return { [owner]: String(number) };
}

/**
 * The changes of an owner's assets behind a position, and then those to come.
 *
 * Contract: each change once, in the order in which they were stored; ends when `signal` aborts. Of more changes than are
 * remembered the oldest are passed over.
 */
export async function* followFileChanges(
  documents: Documents,
  hints: ChangeHints,
  owner: string,
  { from, signal }: { readonly from: AssetPosition; readonly signal: AbortSignal },
): AsyncGenerator<CommittedAssetChange> {
  let seen = Number(from[owner] ?? 0);
  while (!signal.aborted) {
    const waiting = hints.next(signal);
    if (Number(positionNow(documents, owner)[owner]) > seen) {
      const found = await documents.look((view) => view.get<AssetChangesDocument>(ASSET_CHANGES, owner));
      for (const { number, at, ...row } of found?.rows ?? []) {
        if (number <= seen) continue;
        if (signal.aborted) return;
        seen = number;
        const version = String(number);
        yield { ...row, owner, version, at: new Date(at), position: { ...from, [owner]: version } };
      }
    }
    await waiting;
  }
}
