import { type Database, forgetKeys } from "@ikigai/database";
import type { AssetStore } from "@ikigai/source-postgres";
import { type PrunedRows, type PruneOptions, pruneStore, type Retention } from "@ikigai/store-postgres";

const DAY_MS = 86_400_000;
/** Hours that keys of transactions are kept: nobody asks after a day whether a commit took place. */
const KEY_HOURS = 24;

/**
 * Applies the user's retention to everything that is history.
 *
 * Contract: the states of assets go with the days of the journal, but never one that a context still shows; limits in
 * rows count journal entries only.
 */
export async function pruneAll(
  database: Database,
  assets: AssetStore,
  retention: Retention,
  options: PruneOptions = {},
): Promise<PrunedRows> {
  const pruned = await pruneStore(database, retention, options);
  if (options.dryRun === true) return pruned;
  await forgetKeys(database, KEY_HOURS);
  const days = retention.journal?.days;
  if (days === undefined) return pruned;
  const now = options.now ?? new Date();
  const { rows: shown } = await database.query<{ owner: string; version: string }>(
    "select owner, version from pin where behind and version ~ '^[0-9]+$'",
  );
  await assets.prune(new Date(now.getTime() - days * DAY_MS), shown);
  return pruned;
}
