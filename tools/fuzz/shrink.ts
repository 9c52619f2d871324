import type { PlannedCall } from "./calls.ts";
import type { Finding } from "./findings.ts";
import { runWorld } from "./run-world.ts";
import type { Stage } from "./stage.ts";
import type { WorldPlan } from "./world-plan.ts";

export interface Shrunk {
  readonly calls: readonly PlannedCall[];
  /** Worlds that were made on the way. */
  readonly tries: number;
}

/**
 * The fewest calls found that still bring about a finding of the same kind and words in the same world.
 *
 * Contract: makes at most `tries` worlds; gives the calls as they were when none of them shows the finding again.
 */
export async function shrink(
  stage: Stage,
  plan: WorldPlan,
  calls: readonly PlannedCall[],
  finding: Finding,
  tries = 40,
): Promise<Shrunk> {
  const count = { worlds: 0 };
  const mayTry = (): boolean => count.worlds < tries;
  const shows = async (some: readonly PlannedCall[]): Promise<boolean> => {
    count.worlds += 1;
    const { findings } = await runWorld(stage, plan, some);
    return findings.some((one) => signatureOf(one) === signatureOf(finding));
  };
  let best = calls;
  const prefix = finding.call === undefined ? calls : calls.slice(0, finding.call + 1);
  if (prefix.length < calls.length && (await shows(prefix))) best = prefix;
  for (let size = Math.ceil(best.length / 2); size >= 1 && mayTry(); size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && mayTry();) {
      const less = [...best.slice(0, at), ...best.slice(at + size)];
      if (less.length > 0 && (await shows(less))) best = less;
      else at += size;
    }
  }
  return { calls: best, tries: count.worlds };
}

/** What is the same about a finding in another run: numbers differ from run to run. */
function signatureOf({ kind, detail }: Finding): string {
  return `${kind} ${detail.replaceAll(/\d+/g, "0").slice(0, 120)}`;
}
