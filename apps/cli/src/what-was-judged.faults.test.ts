import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  changesBeyondJudged,
  JUDGED_CASES,
  type JudgedBench,
  MEANWHILE,
  openJudgedBench,
} from "./testing/judged-bench.ts";

let bench: JudgedBench;
beforeAll(async () => {
  bench = await openJudgedBench();
});
afterAll(async () => bench[Symbol.asyncDispose]());

describe.each(Object.entries(MEANWHILE))("while a person is asked, %s", (_, happen) => {
  test.each(JUDGED_CASES)("and %s does what was judged, or is refused", async (_key, one) => {
    const { envelope, beyond } = await changesBeyondJudged(bench, one, happen);
    expect(envelope).not.toMatchObject({ code: "internal" });
    expect(bench.told).toEqual([]);
    expect(beyond).toEqual([]);
  });
});
