import { afterAll, beforeAll, expect, test } from "vitest";
import { exploreSome } from "./explore.ts";
import { createScheduler, type Scheduler } from "./run-schedule.ts";
import { killedCase } from "./scenarios.ts";

/** Orders are drawn anew in each run; a failure names the seed that makes it again. */
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000_000);
let scheduler: Scheduler;
beforeAll(async () => {
  scheduler = await createScheduler(4);
});
afterAll(() => scheduler[Symbol.asyncDispose]());

test.each([
  [false, "saver"],
  [true, "saver"],
  [false, "reader"],
  [true, "reader"],
] as const)(
  "a saver killed at any call (others about: %s), two savers and a %s after it lose nothing",
  async (...given) => {
    let killed = true;
    let at = 0;
    for (; killed; at++) {
      const { scenario, judge } = killedCase(at, ...given);
      await exploreSome(scheduler, scenario, judge, { seed: seed + at * 1_000, schedules: 12 });
      killed = scheduler.run(scenario, ([first]) => first).outcomes[0]?.killed === true;
    }
    expect(at).toBeGreaterThan(10);
  },
);
