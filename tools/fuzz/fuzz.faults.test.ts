import { expect, onTestFinished, test } from "vitest";
import { fuzz, summaryOf } from "./fuzz.ts";
import { isKnown } from "./known-findings.ts";
import { openStages } from "./stage.ts";

const TWO_MINUTES_MS = 120_000;

test("two minutes of random calls in random worlds break no promise", async () => {
  const stages = await openStages(2);
  onTestFinished(() => stages.close());
  const [stage] = stages.all;
  const seed = Math.floor(Math.random() * 1_000_000_000);
  process.stdout.write(
    `seed ${seed}${stage.isTraced ? "" : "; strace is not there, so no tracer says which programs are started"}\n`,
  );
  const report = await fuzz(stages.all, {
    seed,
    withinMs: TWO_MINUTES_MS,
    perWorld: 400,
    stops: (finding) => !isKnown(finding),
  });
  process.stdout.write(`${summaryOf(report)}\n`);
  expect(
    report.findings
      .filter((finding) => !isKnown(finding))
      .map(({ kind, detail, plan }) => `${plan.seed}: ${kind}: ${detail}`),
  ).toEqual([]);
});
