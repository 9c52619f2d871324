import { expect, onTestFinished, test } from "vitest";
import { callsOf, fuzz, summaryOf } from "./fuzz.ts";
import { isKnown } from "./known-findings.ts";
import { shrink } from "./shrink.ts";
import { openStages } from "./stage.ts";

const flag = (name: string): number | undefined => {
  const text = process.env[`FUZZ_${name}`];
  return text === undefined || text === "" ? undefined : Number(text);
};
const say = (line: string): void => void process.stdout.write(`${line}\n`);

test("random calls in random worlds break no promise", async () => {
  const stages = await openStages(flag("STAGES") ?? 2);
  onTestFinished(() => stages.close());
  const [stage] = stages.all;
  const seed = flag("SEED") ?? Math.floor(Math.random() * 1_000_000_000);
  const minutes = flag("MINUTES");
  const calls = flag("CALLS") ?? (minutes === undefined ? 100_000 : undefined);
  const perWorld = flag("PER_WORLD") ?? 1_000;
  const isAll = process.env["FUZZ_ALL"] !== undefined;
  const counts = (finding: Parameters<typeof isKnown>[0]): boolean => isAll || !isKnown(finding);
  say(`seed ${seed}${stage.isTraced ? "" : "; strace is not there, so no tracer says which programs are started"}`);
  const report = await fuzz(stages.all, {
    seed,
    perWorld,
    ...(calls !== undefined && { calls }),
    ...(minutes !== undefined && { withinMs: minutes * 60_000 }),
    stops: (finding) => !isAll && counts(finding),
    onWorld: ({ plan, calls: made, succeeded, changed, asked, started, undone, spent, findings }, ms) => {
      say(
        `world ${plan.seed} (${plan.mode}, ${plan.folder}, ${plan.transport}${plan.isStateInside ? ", state inside" : ""}${plan.hasPlugin ? ", plugin" : ""}): ${made} calls in ${(ms / 1000).toFixed(1)} s, ${succeeded} succeeded, ${changed} changes, ${undone} undone, ${asked} questions, ${started} programs; ${JSON.stringify(spent, (_key, value: unknown) => (typeof value === "number" ? Math.round(value) : value))}`,
      );
      for (const one of findings.filter(counts))
        say(`  ${one.kind}${one.call === undefined ? "" : ` at call ${one.call}`}: ${one.detail}`);
    },
  });
  say(summaryOf(report));
  const found = report.findings.filter(counts);
  const [first] = found;
  if (first !== undefined && !isAll) {
    const { plan } = first;
    const { calls: least, tries } = await shrink(stage, plan, callsOf(plan.seed, perWorld), first);
    say(
      `After ${tries} tries: world ${plan.seed} and ${least.length} calls. Again with --seed ${plan.seed} --calls ${perWorld} --per-world ${perWorld}`,
    );
    for (const call of least) say(JSON.stringify(call));
  }
  expect(found.map(({ kind, detail, plan }) => `${plan.seed}: ${kind}: ${detail}`)).toEqual([]);
});
