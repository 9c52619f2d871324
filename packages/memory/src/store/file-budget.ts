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

/** A text whose pins are kept, and who pins or changes it. */
export interface PinnedText extends Omit<Pin, "behind"> {
  readonly agent: string;
}

/** Pins in plain files; the pins of a block or an asset are kept in the transaction of its change. */
export interface FileBudget {
  readonly pins: Pins;
  readonly guard: BudgetGuard;
  /** Contract: `over_budget` when the agent that changed a pinned block has no room for it. */
  changed(change: DocumentChange, record: BlockRecord, agent: string): Promise<void>;
  viewed(change: DocumentChange, record: BlockRecord, agent: string, pinned: boolean): Promise<void>;
  /**
   * Lets a changed text through, and keeps its size in all pins of it.
   *
   * Contract: `over_budget` when whoever changed it has no room for it, with `countsUnpinned` also beside its pins.
   */
  resize(change: DocumentChange, text: PinnedText, options?: { readonly countsUnpinned?: boolean }): Promise<void>;
  /** Contract: `over_budget` when it does not fit; pinning again updates size and version, and gives false. */
  pin(change: DocumentChange, text: PinnedText): Promise<boolean>;
  /** Contract: false when it was not pinned. */
  release(change: DocumentChange, agent: string, uri: string): Promise<boolean>;
  /** Forgets all pins of a text that is gone. Gives the agents who had it pinned. */
  forget(change: DocumentChange, uri: string, owner: string): Promise<readonly string[]>;
}

export const BUDGETS = "budgets";

export function createFileBudget(documents: Documents, options: FileBudgetOptions): FileBudget {
  const { limit, countTokens } = options;
  const keeper = createPinKeeper(options);
  /** What the guard measured for the change that follows it. */
  const measured = new Map<string, number>();
  const keyOf = (agent: string, label: string): string => JSON.stringify([agent, label]);
  const take = (agent: string, label: string): number | undefined => {
    const tokens = measured.get(keyOf(agent, label));
    measured.delete(keyOf(agent, label));
    return tokens;
  };
  return {
    ...keeper,
    async guard({ agent, label, text }) {
      measured.set(keyOf(agent, label), countTokens(text));
    },
    pins: {
      status: (agent) => documents.look(async (view) => statusOf(await read(view, agent), limit)),
      async setLimit(agent, tokens) {
        assertTokens(tokens);
        await documents.change(async (change) => {
          const budget = await read(change, agent);
          if (sum(budget.pins) > tokens) throw refusal({ ...budget, limit: tokens }, 0, "limit", options);
          change.set(BUDGETS, agent, { ...budget, limit: tokens });
        });
      },
    },
    async changed(change, { label, owner, revision }, agent) {
      const uri = blockUri(label);
      const tokens = take(agent, label);
      if (tokens === undefined) await keeper.leaveBehind(change, uri, owner);
      else await keeper.resize(change, { agent, uri, owner, tokens, version: String(revision) });
    },
    async viewed(change, { label, owner, revision }, agent, pinned) {
      const uri = blockUri(label);
      const tokens = take(agent, label);
      if (!pinned) await keeper.release(change, agent, uri);
      else if (tokens !== undefined) await keeper.pin(change, { agent, uri, owner, tokens, version: String(revision) });
    },
  };
}

/** The pins of texts, in the transaction of their changes. */
interface PinKeeper extends Pick<FileBudget, "resize" | "pin" | "release" | "forget"> {
  /** Says of all pins of a text that it changed and nobody measured it, as after a merge. */
  leaveBehind(change: DocumentChange, uri: string, owner: string): Promise<void>;
}

function createPinKeeper(options: FileBudgetOptions): PinKeeper {
  const limitOf = ({ limit }: BudgetDocument): number => limit ?? options.limit;
  return {
    async resize(change, { agent, uri, owner, tokens, version }, { countsUnpinned = false } = {}) {
      const isThis = isPinOf(uri, owner);
      const own = await read(change, agent);
      const room = limitOf(own) - sum(own.pins) + (own.pins.find(isThis)?.tokens ?? 0);
      if (tokens > room && (countsUnpinned || own.pins.some(isThis))) throw refusal(own, tokens, "write", options);
      await editPins(change, isThis, (before, budget) =>
        sum(budget.pins) - before.tokens + tokens <= limitOf(budget)
          ? { ...before, tokens, version, behind: false }
          : { ...before, behind: true },
      );
    },
    leaveBehind: (change, uri, owner) => editPins(change, isPinOf(uri, owner), (pin) => ({ ...pin, behind: true })),
    async pin(change, { agent, ...text }) {
      const budget = await read(change, agent);
      const others = budget.pins.filter(({ uri }) => uri !== text.uri);
      if (sum(others) + text.tokens > limitOf(budget)) throw refusal(budget, text.tokens, "pin", options);
      const pins = [...others, { ...text, behind: false }].toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
      change.set(BUDGETS, agent, { ...budget, pins });
      return others.length === budget.pins.length;
    },
    async release(change, agent, uri) {
      const budget = await read(change, agent);
      const pins = budget.pins.filter((pin) => pin.uri !== uri);
      if (pins.length === budget.pins.length) return false;
      change.set(BUDGETS, agent, { ...budget, pins });
      return true;
    },
    async forget(change, uri, owner) {
      const budgets = await change.list<BudgetDocument>(BUDGETS);
      const having = budgets.filter(({ pins }) => pins.some(isPinOf(uri, owner)));
      for (const budget of having) {
        const pins = budget.pins.filter((pin) => !isPinOf(uri, owner)(pin));
        change.set(BUDGETS, budget.agent, { ...budget, pins });
      }
      return having.map(({ agent }) => agent);
    },
  };
}

function isPinOf(uri: string, owner: string): (pin: Pin) => boolean {
  return (pin) => pin.uri === uri && pin.owner === owner;
}

async function editPins(
  change: DocumentChange,
  isThis: (pin: Pin) => boolean,
  edit: (pin: Pin, budget: BudgetDocument) => Pin,
): Promise<void> {
  for (const budget of await change.list<BudgetDocument>(BUDGETS)) {
    if (!budget.pins.some(isThis)) continue;
    const pins = budget.pins.map((pin) => (isThis(pin) ? edit(pin, budget) : pin));
    change.set(BUDGETS, budget.agent, { ...budget, pins });
  }
}

function refusal(
  budget: BudgetDocument,
  cost: number,
  verb: "pin" | "write" | "limit",
  { limit, canCompact }: FileBudgetOptions,
): IkigaiError {
  return overBudget(sum(budget.pins), budget.limit ?? limit, cost, verb, budget.pins, canCompact);
}

async function read(view: DocumentView, agent: string): Promise<BudgetDocument> {
  return (await view.get<BudgetDocument>(BUDGETS, agent)) ?? { agent, pins: [] };
}

function statusOf({ pins, limit }: BudgetDocument, standard: number): BudgetStatus {
  return toBudgetStatus(sum(pins), limit ?? standard, pins);
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
