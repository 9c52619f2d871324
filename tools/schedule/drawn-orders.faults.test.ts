import { afterAll, beforeAll, test } from "vitest";
import { exploreSome } from "./explore.ts";
import { createScheduler, type Scheduler } from "./run-schedule.ts";
import { LARGE_CASES } from "./scenarios.ts";

/** Orders are drawn anew in each run; a failure names the seed that makes it again. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000_000);
let scheduler: Scheduler;
beforeAll(async () => {
  scheduler = await createScheduler(4);
});
afterAll(() => scheduler[Symbol.asyncDispose]());

test.each(LARGE_CASES)("$what: 600 drawn orders lose nothing", async ({ scenario, judge }) => {
  await exploreSome(scheduler, scenario, judge, { seed, schedules: 600 });
});
