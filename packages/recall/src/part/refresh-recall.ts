import type { OwnedTexts } from "@ikigai/core/host";
import type { RecallKind, RecallStore } from "../contract.ts";
import { refreshCopies } from "../refresh-copies.ts";
import { refreshTurns } from "./refresh-turns.ts";

interface Call {
  readonly owner: string;
  readonly conversation: string;
  readonly signal: AbortSignal;
}

/** Other conversations are looked through again after this time; their turns are old by nature. */
const TURNS_MS = 60_000;

/**
 * Brings the archive's copies to what the owner sees of assets, archival blocks and other conversations at this moment.
 *
 * Contract: what the owner may not see any more has no copy afterwards. The present conversation is left out: it is in
 * the context already, or its keeper has copied what no longer is. Nothing is done where there is no store yet.
 */
export function createRecallRefresh(
  recall: RecallStore,
  texts: OwnedTexts,
  exists: () => Promise<boolean>,
  now: () => number = Date.now,
): (kinds: readonly RecallKind[], call: Call) => Promise<void> {
  const looked = new Map<string, number>();
  return async (kinds, call) => {
    if (!(await exists())) return;
    const { owner, conversation, signal } = call;
    if (kinds.includes("asset")) await refreshCopies(recall, "asset", texts.assets(owner), call);
    if (kinds.includes("block")) await refreshCopies(recall, "block", texts.blocks(owner), call);
    const key = JSON.stringify([owner, conversation]);
    if (!kinds.includes("turn") || now() - (looked.get(key) ?? -TURNS_MS) < TURNS_MS) return;
    await refreshTurns({ recall, conversations: texts.conversations }, owner, conversation, signal);
    looked.set(key, now());
  };
}
