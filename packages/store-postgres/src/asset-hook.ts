import { type Actor, formatAddress } from "@ikigai/core";
import type { Transaction } from "@ikigai/database";
import type { JournalFields, JournalState } from "@ikigai/memory";
import type { Budget } from "./budget/budget.ts";
import type { PostgresJournal } from "./journal/journal.ts";

/** A change of a stored asset, as its source describes it. */
export interface StoredChange {
  readonly owner: string;
  readonly path: string;
  readonly before?: JournalState & { readonly tokens: number };
  readonly after?: JournalState & { readonly tokens: number };
  /** Details that change with it. */
  readonly details?: { readonly before: JournalFields; readonly after: JournalFields };
  /** Whether the agent wants it pinned from now on. */
  readonly pinned?: boolean;
  readonly agent: string;
  readonly actor?: Actor;
  readonly reason?: string;
  /** The entry of the journal that this change takes back. Absent: it takes none back. */
  readonly undoes?: string;
}

export interface AssetHookOptions {
  /** The mount under which the assets are addressed. */
  readonly mount: string;
  readonly budget: Budget;
  /** Absent: the user switched it off. */
  readonly journal?: PostgresJournal;
}

/** Where the program keeps records of its own work, such as a rename that is under way. */
const RECORDS = "system/";

/**
 * Makes the budget check and the journal row of an asset's change part of its transaction.
 *
 * Contract: throws `over_budget` to refuse the change; touches nothing but `tx`.
 */
export function createAssetHook(options: AssetHookOptions): (tx: Transaction, change: StoredChange) => Promise<void> {
  const { mount, budget, journal } = options;
  return async (tx, change) => {
    const { owner, path, agent, after, before, actor, reason, undoes } = change;
    const uri = formatAddress({ mount, path });
    const rewritten = before?.version !== after?.version;
    const wasPinned = await keepPins(tx, budget, uri, change);
    const fields = fieldsOf(change, wasPinned);
    if (!rewritten && fields === undefined) return;
    await journal?.record(
      {
        uri,
        // A pin is of who pinned it, whoever owns the text.
        owner: rewritten ? owner : agent,
        agent,
        ...(actor !== undefined && { actor }),
        ...(reason !== undefined && { reason }),
        ...(undoes !== undefined && { undoes }),
        ...(rewritten && before !== undefined && { before }),
        ...(rewritten && after !== undefined && { after }),
        ...(fields !== undefined && { fields }),
      },
      tx,
    );
  };
}

/** Gives whether the agent had it pinned before, where that changes. */
async function keepPins(
  tx: Transaction,
  budget: Budget,
  uri: string,
  change: StoredChange,
): Promise<boolean | undefined> {
  const { owner, agent, path, before, after, pinned } = change;
  if (after === undefined) return (await budget.forget(tx, uri, owner)).includes(agent) ? true : undefined;
  const { tokens, version } = after;
  const isRecord = path.startsWith(RECORDS);
  if (before?.version !== version) await budget.resize(tx, { agent, uri, owner, tokens, version, isRecord });
  if (pinned === undefined) return undefined;
  if (!pinned) return (await budget.release(tx, agent, uri)) ? true : undefined;
  return (await budget.pin(tx, { agent, uri, owner, tokens, version })) ? false : undefined;
}

function fieldsOf(
  { details, after }: StoredChange,
  wasPinned: boolean | undefined,
): { readonly before: JournalFields; readonly after: JournalFields } | undefined {
  if (details === undefined && wasPinned === undefined) return undefined;
  return {
    before: { ...details?.before, ...(wasPinned !== undefined && { pinned: wasPinned }) },
    after: { ...(after && details?.after), ...(wasPinned !== undefined && { pinned: !wasPinned }) },
  };
}
