import { type AssetDetails } from "@ikigai/core/assets";
import type { JournalFields } from "../../journal/journal.ts";
import type { DocumentChange } from "../documents.ts";
import type { FileBudget } from "../file-budget.ts";

/** A text before or after a change. */
export interface AssetSide {
  readonly text: string;
  readonly version: string;
  readonly tokens: number;
}

/** A change of an asset that is about to be stored. */
export interface PlannedAssetChange {
  readonly owner: string;
  readonly path: string;
  readonly uri: string;
  /** Absent: it is new. */
  readonly before?: AssetSide;
  /** Absent: it is removed. A change of details alone has the same version on both sides. */
  readonly after?: AssetSide;
  readonly details?: { readonly before: AssetDetails; readonly after: AssetDetails } | undefined;
  /** Whether the agent wants it pinned from now on. */
  readonly pinned?: boolean | undefined;
}

/** Where the program keeps records of its own work, such as a rename that is under way. */
const RECORDS = "system/";

/**
 * Keeps the pins of an asset that changes, and judges the change by the budget.
 *
 * Contract: `over_budget` refuses the change. Gives the fields that change with it, for the journal; absent: none.
 */
export async function keepAssetPins(
  change: DocumentChange,
  budget: FileBudget,
  planned: PlannedAssetChange,
): Promise<{ readonly before: JournalFields; readonly after: JournalFields } | undefined> {
  const { details, after } = planned;
  const wasPinned = await movePins(change, budget, planned);
  if (details === undefined && wasPinned === undefined) return undefined;
  return {
    before: { ...details?.before, ...(wasPinned !== undefined && { pinned: wasPinned }) },
    after: { ...(after && details?.after), ...(wasPinned !== undefined && { pinned: !wasPinned }) },
  };
}

/** Gives whether the agent had it pinned before, where that changes. */
async function movePins(
  change: DocumentChange,
  budget: FileBudget,
  { owner, path, uri, before, after, pinned }: PlannedAssetChange,
): Promise<boolean | undefined> {
  if (after === undefined) return (await budget.forget(change, uri, owner)).includes(owner) ? true : undefined;
  const text = { agent: owner, uri, owner, tokens: after.tokens, version: after.version };
  if (before?.version !== after.version)
    await budget.resize(change, text, { countsUnpinned: !path.startsWith(RECORDS) });
  if (pinned === undefined) return undefined;
  if (!pinned) return (await budget.release(change, owner, uri)) ? true : undefined;
  return (await budget.pin(change, text)) ? false : undefined;
}
