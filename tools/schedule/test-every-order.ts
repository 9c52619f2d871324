import { expect, test } from "vitest";
import { exploreAll } from "./explore.ts";
import { createScheduler } from "./run-schedule.ts";
import type { SmallCase } from "./scenarios.ts";

/** Tests every order with two interruptions of each case. Contract: called once in a test file, at its top. */
export function testEveryOrder(cases: readonly SmallCase[]): void {
  test.each(cases)(
    "$what: no order with two interruptions loses anything",
    async ({ what, scenario, judge, leastOrders }) => {
      // One each: the actors of a case that fails stay where they are.
      const scheduler = await createScheduler(4);
      try {
        const { schedules, all } = await exploreAll(scheduler, scenario, judge, { interruptions: 2, most: 5_000 });
        process.stdout.write(`${what}: ${schedules} orders${all ? ", all" : ""}\n`);
        expect(all).toBe(true);
        expect(schedules).toBeGreaterThanOrEqual(leastOrders);
      } finally {
        await scheduler[Symbol.asyncDispose]();
      }
    },
  );
}
