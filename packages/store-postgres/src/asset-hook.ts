import { type Actor, formatAddress } from "@ikigai/core";
import type { Sql } from "@ikigai/database";
import type { Budget } from "./budget.ts";
import type { Journal, JournalState } from "./journal.ts";

/** A change of a stored asset, as its source describes it. */
export interface StoredChange {
  readonly owner: string;
  readonly path: string;
  readonly before?: JournalState & { readonly tokens: number };
  readonly after?: JournalState & { readonly tokens: number };
  readonly agent: string;
  readonly actor?: Actor;
  readonly reason?: string;
}

export interface AssetHookOptions {
  /** The mount under which the assets are addressed. */
  readonly mount: string;
  readonly budget: Budget;
  /** Absent: the user switched it off. */
  readonly journal?: Journal;
}

/**
 * Makes the budget check and the journal row of an asset's change part of its transaction.
 *
 * Contract: throws `over_budget` to refuse the change; touches nothing but `tx`.
 */
export function createAssetHook(options: AssetHookOptions): (tx: Sql, change: StoredChange) => Promise<void> {
  const { mount, budget, journal } = options;
  return async (tx, change) => {
    const { owner, path, agent, after, before, actor, reason } = change;
    const uri = formatAddress({ mount, path });
    if (after === undefined) await budget.forget(tx, uri, owner);
    else await budget.resize(tx, { agent, uri, owner, tokens: after.tokens, version: after.version });
    await journal?.record(
      {
        uri,
        owner,
        agent,
        ...(actor !== undefined && { actor }),
        ...(reason !== undefined && { reason }),
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      },
      tx,
    );
  };
}
