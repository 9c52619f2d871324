import { messageOf } from "@ikigai/core";
import type { SourceManager } from "@ikigai/core/host";
import { rollBack, rollForward } from "./apply-rename.ts";
import type { IntentStore } from "./intent-store.ts";

/** How an interrupted rename ended. */
export interface RecoveredRename {
  readonly from: string;
  readonly to: string;
  /** `stuck` means that neither way worked; the intent stays for the next start. */
  readonly outcome: "finished" | "undone" | "stuck";
  readonly reason?: string;
}

/**
 * Finishes the renames that a crash interrupted, or undoes those that can no longer be finished. Call it at start,
 * before anything else writes.
 *
 * Contract: afterwards each rename is done in all notes or in none; never rejects for one that is stuck.
 */
export async function recoverRenames(options: {
  readonly sources: SourceManager;
  readonly intents: IntentStore;
}): Promise<readonly RecoveredRename[]> {
  const { sources, intents } = options;
  const recovered: RecoveredRename[] = [];
  for (const intent of await intents.list()) {
    const ends = { from: intent.from.uri, to: intent.to.uri };
    try {
      await rollForward(sources, intent, {});
      await intents.remove(intent.id);
      recovered.push({ ...ends, outcome: "finished" });
    } catch (error) {
      const reason = messageOf(error);
      const undone = await rollBack(sources, intent, {}).then(
        () => intents.remove(intent.id).then(() => true),
        () => false,
      );
      recovered.push({ ...ends, outcome: undone ? "undone" : "stuck", reason });
    }
  }
  return recovered;
}
