import { afterAll, beforeAll, expect, test } from "vitest";
import { exploreAll, exploreSome } from "./explore.ts";
import { createScheduler, type Scheduler } from "./run-schedule.ts";
import { killedCase, LARGE_CASES, LIST_DURING_EXCHANGE, SMALL_CASES } from "./scenarios.ts";

const WITHIN_MS = 120_000;
let scheduler: Scheduler;
beforeAll(async () => {
  scheduler = await createScheduler(4);
});
afterAll(() => scheduler[Symbol.asyncDispose]());

test.each(SMALL_CASES)(
  "$what: no order of their system calls with one interruption loses anything",
  async ({ scenario, judge }) => {
    const { schedules, all } = await exploreAll(scheduler, scenario, judge, { interruptions: 1, most: 1_000 });
    expect(all).toBe(true);
    expect(schedules).toBeGreaterThan(20);
  },
  WITHIN_MS,
);

test(
  `${LIST_DURING_EXCHANGE.what} does not leave it out`,
  () => {
    const { scenario, judge } = LIST_DURING_EXCHANGE;
    const steps: string[] = [];
    // The list reads the folder, then the saver goes on until the name is gone, then the list until it waits.
    const ran = scheduler.run(scenario, (enabled, _last, _step, about) => {
      const next =
        about[1] === "begin" || about[1] === "readdir" || about[0]?.startsWith("linkSync .ikigai~tmp") ? 1 : 0;
      const at = enabled.includes(next) ? next : (enabled[0] ?? 0);
      steps.push(about[at] ?? "");
      return at;
    });
    expect(judge(ran)).toEqual([]);
    const taken = steps.findIndex((what) => what.startsWith("renameSync a.md"));
    expect(steps[taken + 1]).toBe("lstatSync a.md");
  },
  WITHIN_MS,
);

test.each(LARGE_CASES)(
  "$what: 20 drawn orders of their system calls lose nothing",
  ({ scenario, judge }) => exploreSome(scheduler, scenario, judge, { seed: 1, schedules: 20 }),
  WITHIN_MS,
);

test.each([false, true])(
  "a saver killed at any system call (others about: %s) costs those after it nothing",
  async (contended) => {
    let killed = true;
    let at = 0;
    for (; killed; at++) {
      const { scenario, judge } = killedCase(at, contended, at % 2 === 0 ? "reader" : "saver");
      await exploreSome(scheduler, scenario, judge, { seed: at, schedules: 2 });
      killed = scheduler.run(scenario, ([first]) => first).outcomes[0]?.killed === true;
    }
    expect(at).toBeGreaterThan(10);
  },
  WITHIN_MS,
);
