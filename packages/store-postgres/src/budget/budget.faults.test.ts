import { testEngines } from "@ikigai/database/testing";
import { afterAll, describe, test } from "vitest";
import { expectBudgetHolds } from "../testing/spend.test.helper.ts";

describe.each(testEngines())("200 at once from four processes on the $name engine", (engine) => {
  afterAll(() => engine.stop());

  test.each(["write", "edit", "pin"] as const)("%s: exactly 11 succeed", { timeout: 300_000 }, async (task) => {
    await expectBudgetHolds(engine, task, 200);
  });
});
