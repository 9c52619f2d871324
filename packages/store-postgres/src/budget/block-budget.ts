import { formatAddress } from "@ikigai/core";
import type { Transaction } from "@ikigai/database";
import type { BlockRecord, BudgetGuard } from "@ikigai/memory";
import type { Budget } from "./budget.ts";

/** The part of the budget that belongs to blocks: their pins are kept in the transaction of the block's change. */
export interface BlockBudget {
  /** For the block service, which alone knows a block's text. */
  readonly guard: BudgetGuard;
  /** What the guard measured for the change that follows; absent when it was not asked. */
  take(agent: string, label: string): number | undefined;
  changed(tx: Transaction, record: BlockRecord, agent: string, tokens: number | undefined): Promise<void>;
  viewed(
    tx: Transaction,
    record: BlockRecord,
    agent: string,
    pinned: boolean,
    tokens: number | undefined,
  ): Promise<void>;
}

export interface BlockBudgetOptions {
  readonly countTokens: (text: string) => number;
}

/**
 * Counts pinned blocks like pinned assets.
 *
 * The guard is asked outside any transaction and only measures; the change that follows is judged inside its own.
 */
export function createBlockBudget(budget: Budget, { countTokens }: BlockBudgetOptions): BlockBudget {
  const measured = new Map<string, number>();
  const key = (agent: string, label: string): string => JSON.stringify([agent, label]);
  return {
    async guard({ agent, label, text }) {
      measured.set(key(agent, label), countTokens(text));
    },
    take(agent, label) {
      const tokens = measured.get(key(agent, label));
      measured.delete(key(agent, label));
      return tokens;
    },
    async changed(tx, { label, owner, revision }, agent, tokens) {
      const uri = blockUri(label);
      if (tokens !== undefined) await budget.resize(tx, { agent, uri, owner, tokens, version: String(revision) });
      // A change that nobody measured, such as a merge, cannot be refused: who pinned the block keeps what he has.
      else tx.send("update pin set behind = true where uri = $1 and owner = $2", [uri, owner]);
    },
    async viewed(tx, { label, owner, revision }, agent, pinned, tokens) {
      const uri = blockUri(label);
      if (!pinned) await budget.release(tx, agent, uri);
      else if (tokens !== undefined) await budget.pin(tx, { agent, uri, owner, tokens, version: String(revision) });
    },
  };
}

export function blockUri(label: string): string {
  return formatAddress({ mount: "block", path: label });
}
