import { afterAll, beforeAll, expect, test } from "vitest";
import { exploreAll } from "./explore.ts";
import { createScheduler, type Scheduler } from "./run-schedule.ts";
import { SMALL_CASES } from "./scenarios.ts";

let scheduler: Scheduler;
beforeAll(async () => {
  scheduler = await createScheduler(4);
});
afterAll(() => scheduler[Symbol.asyncDispose]());

test.each(SMALL_CASES)(
  "$what: no order with two interruptions loses anything",
  async ({ what, scenario, judge, leastOrders }) => {
    const { schedules, all } = await exploreAll(scheduler, scenario, judge, { interruptions: 2, most: 5_000 });
    process.stdout.write(`${what}: ${schedules} orders${all ? ", all" : ""}\n`);
    expect(all).toBe(true);
    expect(schedules).toBeGreaterThanOrEqual(leastOrders);
  },
);
