import type { Line } from "./line.ts";

/** `npm run bench [-- NAME …] [--quick] [--json]`: measures side by side and prints one line per side. */
type Bench = (quick: boolean) => Promise<Line[]>;

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  agent: async () => (await import("./agent.ts")).benchAgent,
  registry: async () => (await import("./registry.ts")).benchRegistry,
  store: async () => (await import("./store.ts")).benchStore,
};

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("-"));
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown === undefined) await run(names.length > 0 ? names : Object.keys(BENCHES));
else {
  process.stderr.write(`No bench named ${unknown}. There are: ${Object.keys(BENCHES).join(", ")}\n`);
  process.exitCode = 2;
}

async function run(chosen: readonly string[]): Promise<void> {
  for (const name of chosen) {
    const bench = await BENCHES[name]?.();
    const lines = (await bench?.(args.includes("--quick"))) ?? [];
    for (const line of lines)
      process.stdout.write(`${args.includes("--json") ? JSON.stringify(line) : render(line)}\n`);
  }
}

function render({ bench, work, side, p50, p99, ratio, against }: Line): string {
  const compared = ratio === undefined ? "" : `  ${ratio.toFixed(2)}× ${against}`;
  return `${bench}  ${work.padEnd(24)} ${side.padEnd(30)} p50 ${p50.toFixed(1)} µs  p99 ${p99.toFixed(1)} µs${compared}`;
}
