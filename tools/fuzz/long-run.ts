import { expect, onTestFinished, test } from "vitest";
import { callsOf, fuzz } from "./fuzz.ts";
import { isKnown } from "./known-findings.ts";
import { shrink } from "./shrink.ts";
import { openStage } from "./stage.ts";

const flag = (name: string): number | undefined => {
  const text = process.env[`FUZZ_${name}`];
  return text === undefined || text === "" ? undefined : Number(text);
};
const say = (line: string): void => void process.stdout.write(`${line}\n`);

test("random calls in random worlds break no promise", async () => {
  const stage = await openStage();
  onTestFinished(() => stage.close());
  const seed = flag("SEED") ?? Math.floor(Math.random() * 1_000_000_000);
  const minutes = flag("MINUTES");
  const calls = flag("CALLS") ?? (minutes === undefined ? 100_000 : undefined);
  const perWorld = flag("PER_WORLD") ?? 1_000;
  const isAll = process.env["FUZZ_ALL"] !== undefined;
  const counts = (finding: Parameters<typeof isKnown>[0]): boolean => isAll || !isKnown(finding);
  say(`seed ${seed}${stage.isTraced ? "" : "; strace is not there, so no tracer says which programs are started"}`);
  const report = await fuzz(stage, {
    seed,
    perWorld,
    ...(calls !== undefined && { calls }),
    ...(minutes !== undefined && { withinMs: minutes * 60_000 }),
    stops: (finding) => !isAll && counts(finding),
    onWorld: ({ plan, calls: made, succeeded, changed, asked, started, undone, findings }, ms) => {
      say(
        `world ${plan.seed} (${plan.mode}): ${made} calls in ${(ms / 1000).toFixed(1)} s, ${succeeded} succeeded, ${changed} changes, ${undone} undone, ${asked} questions, ${started} programs`,
      );
      for (const one of findings.filter(counts))
        say(`  ${one.kind}${one.call === undefined ? "" : ` at call ${one.call}`}: ${one.detail}`);
    },
  });
  say(
    `${report.calls} calls in ${report.worlds} worlds, ${(report.calls / (report.ms / 1000)).toFixed(0)} calls/s; ${JSON.stringify(report.totals)}`,
  );
  const found = report.findings.filter(counts);
  const [first] = found;
  if (first !== undefined && !isAll) {
    const {
      plan,
      calls: least,
      tries,
    } = await shrink(stage, first.plan, callsOf(first.plan.seed, perWorld), first).then((shrunk) => ({
      plan: first.plan,
      ...shrunk,
    }));
    say(
      `After ${tries} tries: world ${plan.seed} and ${least.length} calls. Again with --seed ${plan.seed} --calls ${perWorld} --per-world ${perWorld}`,
    );
    for (const call of least) say(JSON.stringify(call));
  }
  expect(found.map(({ kind, detail, plan }) => `${plan.seed}: ${kind}: ${detail}`)).toEqual([]);
});
