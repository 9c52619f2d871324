import type { BudgetStatus, Pin } from "./pins.ts";

const WARNING = 0.8;
const CRITICAL = 0.95;

/** What an agent's pins mean for its limit. Contract: a limit of 0 is critical. */
export function toBudgetStatus(pinned: number, limit: number, pins: readonly Pin[]): BudgetStatus {
  const share = limit === 0 ? 1 : pinned / limit;
  const level = share >= CRITICAL ? "critical" : share >= WARNING ? "warning" : "fine";
  return { pinned, limit, level, pins };
}
