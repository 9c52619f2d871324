import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Line, lossOf } from "./line.ts";
import { formatFigure, formatMemory, formatRatio } from "./format.ts";
import { stopOnSignal, stopped } from "./stop.ts";

/** `npm run bench [-- NAME …] [--quick] [--json]`: measures side by side and prints one line per side. */
type Bench = (quick: boolean) => Promise<Line[]>;

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  registry: async () => (await import("./registry.ts")).benchRegistry,
  files: async () => (await import("./files.ts")).benchFiles,
  store: async () => (await import("./store.ts")).benchStore,
  search: async () => (await import("./search.ts")).benchSearch,
  recall: async () => (await import("./recall-speed.ts")).benchRecall,
  notes: async () => (await import("./notes.ts")).benchNotes,
  agent: async () => (await import("./agent.ts")).benchAgent,
  mcp: async () => (await import("./mcp.ts")).benchMcp,
};

const USAGE = `npm run bench [-- NAME …] [--quick] [--json] [--write]
  NAME     ${Object.keys(BENCHES).join(", ")} (default: all, and docs/benchmarks.md is written)
  --quick  few rounds and small sizes: each line once
  --json   one JSON object per line
  --write  write docs/benchmarks.md also when only some were named
npm run bench -- recall --locomo FILE --beir DIR [--json]: how well recall finds, instead of how fast
`;

/** Options that ask how well recall finds; they are its own command's. */
const RETRIEVAL = ["--locomo", "--beir", "--speed"];

const argv = process.argv.slice(2);
if (argv[0] === "recall" && argv.some((arg) => RETRIEVAL.some((option) => arg.startsWith(option)))) {
  process.argv.splice(2, 1);
  await import("./recall/main.ts");
} else await main();

async function main(): Promise<void> {
  const { values: flags, positionals: names } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
  if (unknown !== undefined || flags.help) {
    process.stderr.write(flags.help ? USAGE : `No bench is named ${unknown}.\n${USAGE}`);
    process.exitCode = flags.help ? 0 : 2;
    return;
  }
  const started = performance.now();
  const lines: Line[] = [];
  const failed: string[] = [];
  for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
    process.stderr.write(`bench: ${name} …\n`);
    const begun = performance.now();
    try {
      const bench = await BENCHES[name]?.();
      stopOnSignal();
      const found = (await bench?.(flags.quick)) ?? [];
      lines.push(...found);
      for (const line of found) process.stdout.write(`${flags.json ? JSON.stringify(line) : render(line)}\n`);
    } catch (error) {
      if (stopped.aborted) process.exit(130);
      failed.push(name);
      process.stderr.write(`bench: ${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    }
    process.stderr.write(`bench: ${name} took ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`);
  }
  if (names.length === 0 || flags.write) {
    const { writeReport } = await import("./report.ts");
    const folder = fileURLToPath(new URL("../../docs", import.meta.url));
    await writeReport(folder, lines, { quick: flags.quick, failed, seconds: (performance.now() - started) / 1_000 });
    process.stderr.write(`bench: wrote ${join(folder, "benchmarks.md")}\n`);
  }
}

function render(line: Line): string {
  const { bench, work, side, p50, p99, unit, peers = [], floor } = line;
  const compared = [...peers, ...(floor === undefined ? [] : [floor])].map(
    ({ name, ratio }) => `${formatRatio(ratio)} ${name}`,
  );
  return [
    lossOf(line) === undefined ? " " : "✗",
    bench.padEnd(8),
    work.padEnd(44),
    side.padEnd(30),
    `p50 ${formatFigure(p50, unit)}`.padEnd(16),
    `p99 ${formatFigure(p99, unit)}`.padEnd(16),
    formatMemory(line),
    compared.join(", "),
  ]
    .join(" ")
    .trimEnd();
}
