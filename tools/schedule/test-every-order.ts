import { afterAll, beforeAll, expect, test } from "vitest";
import { exploreAll } from "./explore.ts";
import { createScheduler, type Scheduler } from "./run-schedule.ts";
import type { SmallCase } from "./scenarios.ts";

/** Tests every order with two interruptions of each case. Contract: called once in a test file, at its top. */
export function testEveryOrder(cases: readonly SmallCase[]): void {
  let scheduler: Scheduler;
  beforeAll(async () => {
    scheduler = await createScheduler(4);
  });
  afterAll(() => scheduler[Symbol.asyncDispose]());

  test.each(cases)(
    "$what: no order with two interruptions loses anything",
    async ({ what, scenario, judge, leastOrders }) => {
      const { schedules, all } = await exploreAll(scheduler, scenario, judge, { interruptions: 2, most: 5_000 });
      process.stdout.write(`${what}: ${schedules} orders${all ? ", all" : ""}\n`);
      expect(all).toBe(true);
      expect(schedules).toBeGreaterThanOrEqual(leastOrders);
    },
  );
}
