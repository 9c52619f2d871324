import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TurnsResult, TurnsTask } from "./agent-turns-child.ts";
import { counted, type Line, percentile, withRatios } from "./line.ts";
import { withTemporary } from "./temporary.ts";

const CHILD = fileURLToPath(new URL("agent-turns-child.js", import.meta.url));
const PINS = 100;

/** What a turn costs beside the model, and what many turns leave in memory. */
export async function benchTurns(quick: boolean): Promise<Line[]> {
  return withTemporary(async (temporary) => {
    const root = await temporary.folder();
    const store = await temporary.store("postgres");
    const lines: Line[] = [];
    for (const past of quick ? [10, 100, 300, 1_000] : [10, 100, 1_000, 3_000]) {
      const task = { root, store, agent: `past-${past}`, past, pins: PINS, turns: quick ? 10 : 50 };
      const { turns, bare, peak } = await runTurns(task);
      const work = `a turn: ${past.toLocaleString("en")} past exchanges, ${PINS} pins`;
      const growth = { curve: "turn by past exchanges", size: past };
      lines.push(
        ...withRatios([
          {
            ...timedLine(work, "fetch of the same mock", "floor", "none: no history, nothing kept", bare),
            growth,
            rss: peak,
          },
          {
            ...timedLine(work, "ikigai", "ours", "question and answer stored, request counted and kept", turns),
            growth,
            rss: peak,
          },
        ]),
      );
    }
    const turns = quick ? 50 : 500;
    const { early, late, peak } = await runTurns({ root, store, agent: "long", past: 0, pins: 0, turns });
    const work = `memory after ${turns} turns`;
    const memory = { guarantee: "the whole conversation kept, the mock in the same process", rss: peak };
    return [
      ...lines,
      counted("agent", work, "MB", { ...memory, name: `ikigai, after ${Math.floor(turns / 10)}` }, early),
      counted("agent", work, "MB", { ...memory, name: `ikigai, after ${turns}` }, late),
    ];
  });
}

async function runTurns(task: TurnsTask): Promise<TurnsResult> {
  const args = ["--expose-gc", CHILD, JSON.stringify(task)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 10_000_000 });
  return JSON.parse(stdout) as TurnsResult;
}

function timedLine(
  work: string,
  side: string,
  role: NonNullable<Line["role"]>,
  guarantee: string,
  times: readonly number[],
): Line {
  const p50 = percentile(times, 0.5);
  return {
    bench: "agent",
    work,
    side,
    role,
    unit: "µs",
    guarantee,
    p50,
    p99: percentile(times, 0.99),
    rounds: times.length,
  };
}
