import { type Actor, messageOf } from "@ikigai/core";
import type { Journal, JournalEntry } from "../../journal/journal.ts";
import type { DocumentChange, Documents } from "../documents.ts";
import type { FileBudget } from "../file-budget.ts";
import { keepAssetPins, type PlannedAssetChange } from "./asset-pins.ts";

/** What changes of assets need. */
export interface AssetChangeContext {
  readonly documents: Documents;
  readonly budget: FileBudget;
  /** Absent: the user switched it off. */
  readonly journal: Journal | undefined;
  /** The mount under which assets are addressed. */
  readonly mount: string;
  readonly countTokens: (text: string) => number;
  /** Marks the changes of this program among all. */
  readonly program: string;
  readonly clock: () => Date;
  /** Called once a change is stored. */
  readonly changed: () => void;
  /** Receives a warning when a change was stored and its end could not be written to the journal. */
  readonly warn: (message: string) => void;
}

/** Who changes an asset, and what the change rests on. */
export interface AssetChangeOptions {
  readonly agent: string;
  readonly actor?: Actor | undefined;
  readonly expected?: string | null | undefined;
  readonly reason?: string | undefined;
  readonly undoes?: string | undefined;
}

/**
 * Stores a change of an asset with its pins, and writes it down in the journal.
 *
 * Contract: `plan` sees the asset as nobody else can change it meanwhile. The entry is on the disk before the change, and is
 * settled after it.
 */
export async function storeAssetChange(
  context: AssetChangeContext,
  options: AssetChangeOptions,
  plan: (change: DocumentChange) => Promise<PlannedAssetChange>,
): Promise<PlannedAssetChange> {
  const { documents, budget, journal, changed } = context;
  let entry: JournalEntry | undefined;
  let id: string | undefined;
  // A commit that fails may still be finished by whoever uses the folder next, so its entry stays open.
  const planned = await documents.change(async (change) => {
    const made = await plan(change);
    entry = toEntry(made, await keepAssetPins(change, budget, made), options);
    id = entry && (await journal?.intend(entry));
    return made;
  });
  const version = entry?.after?.version;
  if (id !== undefined) await settle(context, id, version === undefined ? {} : { version }, entry);
  changed();
  return planned;
}

/** The entry of a change. Contract: absent when nothing changes. */
function toEntry(
  { uri, owner, before, after }: PlannedAssetChange,
  fields: JournalEntry["fields"],
  { agent, actor, reason, undoes }: AssetChangeOptions,
): JournalEntry | undefined {
  const isRewritten = before?.version !== after?.version;
  if (!isRewritten && fields === undefined) return undefined;
  return {
    uri,
    owner,
    agent,
    ...(actor !== undefined && { actor }),
    ...(reason !== undefined && { reason }),
    ...(undoes !== undefined && { undoes }),
    ...(isRewritten && before !== undefined && { before: { text: before.text, version: before.version } }),
    ...(isRewritten && after !== undefined && { after: { text: after.text, version: after.version } }),
    ...(fields !== undefined && { fields }),
  };
}

/** The change is stored, or it is not; that its end could not be written down must not say otherwise. */
async function settle(
  { journal, warn }: AssetChangeContext,
  id: string,
  end: Parameters<Journal["settle"]>[1],
  entry: JournalEntry | undefined,
): Promise<void> {
  try {
    await journal?.settle(id, end);
  } catch (error) {
    warn(`the journal entry ${id} of ${entry?.uri} stays open: ${messageOf(error)}`);
  }
}
