import { formatAddress, IkigaiError } from "@ikigai/core";
import type { BudgetGuard } from "../blocks/block-operations.ts";
import type { BlockRecord } from "../blocks/block-store.ts";
import type { BudgetStatus, Pin, Pins } from "../pins/pins.ts";
import { toBudgetStatus } from "../pins/budget-status.ts";
import type { DocumentChange, Documents, DocumentView } from "./documents.ts";
import { overBudget } from "../pins/over-budget.ts";

/** What one agent has pinned, and may pin, as its file has it. */
export interface BudgetDocument {
  readonly agent: string;
  /** Absent: the store's own limit. */
  readonly limit?: number;
  readonly pins: readonly Pin[];
}

export interface FileBudgetOptions {
  /** Tokens an agent may pin unless it was given another limit. */
  readonly limit: number;
  /** Whether a refusal may advise `/compact`. */
  readonly canCompact: boolean;
  readonly countTokens: (text: string) => number;
}

/** Pins in plain files; a block's pins are kept in the transaction of its change. */
export interface FileBudget {
  readonly pins: Pins;
  readonly guard: BudgetGuard;
  /** Contract: `over_budget` when the agent that changed a pinned block has no room for it. */
  changed(change: DocumentChange, record: BlockRecord, agent: string): Promise<void>;
  viewed(change: DocumentChange, record: BlockRecord, agent: string, pinned: boolean): Promise<void>;
}

export const BUDGETS = "budgets";

export function createFileBudget(documents: Documents, options: FileBudgetOptions): FileBudget {
  const { limit: standard, canCompact, countTokens } = options;
  /** What the guard measured for the change that follows it. */
  const measured = new Map<string, number>();
  const keyOf = (agent: string, label: string): string => JSON.stringify([agent, label]);
  const limitOf = ({ limit }: BudgetDocument): number => limit ?? standard;
  const take = (agent: string, label: string): number | undefined => {
    const tokens = measured.get(keyOf(agent, label));
    measured.delete(keyOf(agent, label));
    return tokens;
  };
  const refusal = (budget: BudgetDocument, cost: number, verb: "pin" | "write" | "limit", limit = limitOf(budget)) =>
    overBudget(sum(budget.pins), limit, cost, verb, budget.pins, canCompact);

  return {
    async guard({ agent, label, text }) {
      measured.set(keyOf(agent, label), countTokens(text));
    },
    pins: {
      status: (agent) => documents.look(async (view) => statusOf(await read(view, agent), limitOf)),
      async setLimit(agent, tokens) {
        assertTokens(tokens);
        await documents.change(async (change) => {
          const budget = await read(change, agent);
          if (sum(budget.pins) > tokens) throw refusal(budget, 0, "limit", tokens);
          change.set(BUDGETS, agent, { ...budget, limit: tokens });
        });
      },
    },
    async changed(change, { label, owner, revision }, agent) {
      const uri = blockUri(label);
      const tokens = take(agent, label);
      const isThis = (pin: Pin): boolean => pin.uri === uri && pin.owner === owner;
      for (const budget of await change.list<BudgetDocument>(BUDGETS)) {
        const before = budget.pins.find(isThis);
        if (before === undefined) continue;
        const fits = tokens !== undefined && sum(budget.pins) - before.tokens + tokens <= limitOf(budget);
        if (!fits && tokens !== undefined && budget.agent === agent) throw refusal(budget, tokens, "write");
        const after = fits
          ? { ...before, tokens, version: String(revision), behind: false }
          : { ...before, behind: true };
        change.set(BUDGETS, budget.agent, {
          ...budget,
          pins: budget.pins.map((pin) => (pin === before ? after : pin)),
        });
      }
    },
    async viewed(change, { label, owner, revision }, agent, pinned) {
      const uri = blockUri(label);
      const tokens = take(agent, label);
      const budget = await read(change, agent);
      const others = budget.pins.filter((pin) => pin.uri !== uri);
      if (!pinned) {
        if (others.length < budget.pins.length) change.set(BUDGETS, agent, { ...budget, pins: others });
        return;
      }
      if (tokens === undefined) return;
      if (sum(others) + tokens > limitOf(budget)) throw refusal(budget, tokens, "pin");
      const pin: Pin = { uri, owner, tokens, version: String(revision), behind: false };
      change.set(BUDGETS, agent, { ...budget, pins: [...others, pin].toSorted((a, b) => (a.uri < b.uri ? -1 : 1)) });
    },
  };
}

async function read(view: DocumentView, agent: string): Promise<BudgetDocument> {
  return (await view.get<BudgetDocument>(BUDGETS, agent)) ?? { agent, pins: [] };
}

function statusOf(budget: BudgetDocument, limitOf: (budget: BudgetDocument) => number): BudgetStatus {
  return toBudgetStatus(sum(budget.pins), limitOf(budget), budget.pins);
}

function sum(pins: readonly Pin[]): number {
  return pins.reduce((total, { tokens }) => total + tokens, 0);
}

function assertTokens(tokens: number): void {
  if (Number.isSafeInteger(tokens) && tokens >= 0) return;
  throw new IkigaiError("invalid_input", `${tokens} is not a number of tokens`, { hint: "Use a whole number." });
}

function blockUri(label: string): string {
  return formatAddress({ mount: "block", path: label });
}
