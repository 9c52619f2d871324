import { expect, test } from "vitest";
import type { Pin } from "./pins.ts";
import { toBudgetStatus } from "./budget-status.ts";
import { overBudget } from "./over-budget.ts";

const pin = (path: string, tokens: number): Pin => ({
  uri: `ikigai:///${path}`,
  owner: "ana",
  tokens,
  version: "1",
  behind: false,
});

test("a refusal names the largest pins first, those of one size by their address, and counts the rest", () => {
  const small = Array.from({ length: 20 }, (_, at) => pin(`small/${String(at).padStart(2, "0")}`, 1));
  const { hint, message, details } = overBudget(42, 50, 9, "write", [pin("b", 11), ...small, pin("a", 11)], false);
  expect(message).toBe("Block budget exceeded: 42/50 tokens. This write would use 9 tokens. Use /unpin to free space.");
  expect(hint).toMatch(
    /^Unpin or shorten one of these: ikigai:\/\/\/a frees 11 tokens; ikigai:\/\/\/b frees 11 tokens; /,
  );
  expect(hint).toMatch(/small\/17 frees 1 tokens; and 2 smaller ones\.$/);
  expect(details).toMatchObject({ total: 42, limit: 50, cost: 9 });
});

test("/compact is advised only where there is one", () => {
  expect(overBudget(90, 100, 20, "pin", [pin("a", 90)], true).message).toContain("Use /compact or /unpin");
  expect(overBudget(90, 100, 20, "pin", [pin("a", 90)], false).message).toContain("Use /unpin");
});

test("a text that is larger than the whole budget has to be shortened, whatever is pinned", () => {
  expect(overBudget(0, 100, 120, "pin", [], false).hint).toBe("Shorten the text.");
  expect(overBudget(10, 100, 120, "pin", [pin("a", 10)], false).hint).toContain("more than the whole budget");
});

test("a limit below what is pinned says that more is pinned", () => {
  expect(overBudget(90, 50, 0, "limit", [pin("a", 90)], false).message).toBe(
    "Block budget exceeded: 90/50 tokens. More is pinned than that. Use /unpin to free space.",
  );
});

test.each([
  [0, 100, "fine"],
  [79, 100, "fine"],
  [80, 100, "warning"],
  [95, 100, "critical"],
  [0, 0, "critical"],
])("%i of %i tokens pinned is %s", (pinned, limit, level) => {
  expect(toBudgetStatus(pinned, limit, [])).toEqual({ pinned, limit, level, pins: [] });
});
