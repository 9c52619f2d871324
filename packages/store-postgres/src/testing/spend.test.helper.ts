import { fileURLToPath } from "node:url";
import type { Database } from "@ikigai/database";
import { startChild, type TestEngine } from "@ikigai/database/testing";
import { type AssetStore, assetMigrations, createAssetStore } from "@ikigai/source-postgres";
import { expect } from "vitest";
import { createAssetHook } from "../asset-hook.ts";
import { type Budget, createBudget } from "../budget/budget.ts";
import { createJournal, type PostgresJournal } from "../journal/journal.ts";
import { storeMigrations } from "../migrations.ts";

const SPENDER = fileURLToPath(new URL("../../fixtures/spender.mjs", import.meta.url));
const AGENT = "ana";
const LIMIT = 100_000;
const TOKENS = 9_000;

/** Everything of one agent's memory that a budget is about. A text is the number of its tokens. */
export interface Memory {
  readonly database: Database;
  readonly budget: Budget;
  readonly journal: PostgresJournal;
  readonly store: AssetStore;
  pin(agent: string, path: string): Promise<boolean>;
}

export async function openMemory(engine: TestEngine, limit: number = LIMIT): Promise<Memory> {
  const database = await engine.fresh({ sets: [assetMigrations, storeMigrations] });
  const budget = createBudget(database, { limit });
  const journal = createJournal(database);
  const hooks = [createAssetHook({ mount: "ikigai", budget, journal })];
  const store = createAssetStore(database, { hooks, countTokens: Number });
  return {
    database,
    budget,
    journal,
    store,
    pin: (agent, path) =>
      store.withLocked(agent, path, (tx, { tokens, version, owner }) =>
        budget.pin(tx, { agent, uri: `ikigai:///${path}`, owner, tokens, version }),
      ),
  };
}

type Answer = "stored" | { readonly code: string; readonly message: string; readonly details: Record<string, number> };

/**
 * Lets four processes spend one budget at once, and shows that it holds.
 *
 * `write` and `edit` fill pinned assets, `pin` pins filled ones.
 */
export async function expectBudgetHolds(
  engine: TestEngine,
  task: "write" | "edit" | "pin",
  count: number,
): Promise<void> {
  const { database, budget, store, pin } = await openMemory(engine);
  const initial = task === "write" ? "0" : task === "edit" ? "1" : String(TOKENS);
  for (let number = 1; number <= count; number += 1) {
    await store.write(`blocks/${number}.md`, initial, { agent: AGENT });
    if (task !== "pin") await pin(AGENT, `blocks/${number}.md`);
  }
  const share = count / 4;
  const spenders = [0, 1, 2, 3].map((index) => {
    const range = { first: index * share + 1, last: (index + 1) * share, tokens: TOKENS, agent: AGENT, limit: LIMIT };
    return startChild(SPENDER, task, engine.optionsOf(database), range);
  });
  const answers = (await Promise.all(spenders.map((spender) => spender.next()))).flat() as Answer[];
  await Promise.all(spenders.map(({ ended }) => ended));

  const refused = answers.filter((answer) => answer !== "stored");
  expect(answers).toHaveLength(count);
  expect(answers.length - refused.length).toBe(11);
  const spent = task === "edit" ? count + 11 * (TOKENS - 1) : 11 * TOKENS;
  for (const { code, message, details } of refused) {
    expect(code).toBe("over_budget");
    const verb = task === "pin" ? "pin" : "write";
    expect(message).toMatch(
      new RegExp(`^Block budget exceeded: \\d+/${LIMIT} tokens. This ${verb} would use ${TOKENS} tokens.`),
    );
    const { total = 0, limit, cost } = details;
    expect({ limit, cost }).toEqual({ limit: LIMIT, cost: TOKENS });
    expect(total).toBeLessThanOrEqual(spent);
  }
  const { pinned, pins } = await budget.status(AGENT);
  expect(pinned).toBe(spent);
  expect(pins.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(spent);
  const { rows } = await database.query<{ tokens: number }>(
    "select coalesce(sum(a.tokens), 0)::int as tokens from asset a join pin p on p.uri = 'ikigai:///' || a.path",
  );
  expect(rows[0]?.tokens).toBe(spent);
  await expectNeverOver(database, count);
}

/** The journal tells every committed write in order: their sum never passed the limit. */
async function expectNeverOver(database: Database, count: number): Promise<void> {
  const { rows } = await database.query<{ most: number }>(
    `select coalesce(max(total), 0)::int as most from (
       select sum(after_text::int - coalesce(before_text::int, 0)) over (order by id) as total
       from journal where uri in (select uri from pin)) running`,
  );
  expect(rows[0]?.most).toBeLessThanOrEqual(Math.max(LIMIT, count));
}
