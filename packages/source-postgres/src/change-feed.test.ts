import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, expect, test } from "vitest";
import { CHANGES } from "./change-feed.ts";
import { assetMigrations } from "./migrations.ts";

interface Plan {
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Plan[];
}

/** Rows that any step of a plan looked at. */
function lookedAt(plan: Plan): number {
  const own = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  return own + (plan.Plans ?? []).reduce((sum, step) => sum + lookedAt(step), 0);
}

describe.each(testEngines())("the changes behind a position on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test("are found without looking at those before it", async () => {
    const database = await engine.fresh({ sets: [assetMigrations] });
    await database.query(
      `insert into asset_revision (owner, number, path, change, at)
       select owner, n, 'a' || n, 'created', now() from generate_series(1, $1::int) n, (values ('ana'), ('bob')) o(owner)`,
      [3_000],
    );
    await database.query("insert into asset_share values ('bob', 'a2999', 'ana', 'read_only')");
    const position = JSON.stringify({ ana: "2998", bob: "2998" });
    const { rows } = await database.query<{ owner: string; number: string }>(CHANGES, ["ana", position]);
    expect(rows.map(({ owner, number }) => `${owner} ${number}`)).toEqual(["ana 2999", "ana 3000", "bob 2999"]);
    const { rows: plans } = await database.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(
      `explain (analyze, format json) ${CHANGES}`,
      ["ana", position],
    );
    expect(lookedAt(plans[0]?.["QUERY PLAN"][0]?.Plan as Plan)).toBeLessThan(100);
  });
});
