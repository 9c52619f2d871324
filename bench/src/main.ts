import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BENCHES } from "./benches.ts";
import { formatFigure, formatMemory, formatRatio } from "./format.ts";
import { type Line, lossOf } from "./line.ts";
import { writeReport } from "./report.ts";

/** `npm run bench [-- NAME …] [--quick] [--json] [--out DIR]`: measures side by side and prints one line per side. */
const ALL = Object.keys(BENCHES);
const PART = fileURLToPath(new URL("part.js", import.meta.url));
const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
const RESULTS = fileURLToPath(new URL("../results", import.meta.url));
const INTERRUPTED = 130;
let running: ChildProcess | undefined;

const USAGE = `npm run bench [-- NAME …] [--quick] [--json] [--out DIR]
  NAME     ${ALL.join(", ")} (default: all)
  --quick  few rounds and small sizes: each line once
  --json   one JSON object per line
  --out    where benchmarks.md and its plots go (default: docs for a whole run that is not quick, else bench/results)
npm run bench -- recall --locomo FILE --beir DIR [--json]: how well recall finds, instead of how fast
`;

/** Options that ask how well recall finds; they are its own command's. */
const RETRIEVAL = ["--locomo", "--beir", "--speed"];

const argv = process.argv.slice(2);
if (argv[0] === "recall" && argv.some((arg) => RETRIEVAL.some((option) => arg.startsWith(option)))) {
  process.argv.splice(2, 1);
  await import("./recall/main.ts");
} else process.exitCode = await main();

async function main(): Promise<number> {
  const { values: flags, positionals: names } = readArguments();
  const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
  if (flags.help) return say(USAGE, 0);
  if (unknown !== undefined) return say(`No bench is named ${unknown}.\n${USAGE}`, 2);
  // The part that runs cleans up; nothing is reported then. A terminal tells it by itself.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => running?.kill("SIGTERM"));
  const started = performance.now();
  const lines: Line[] = [];
  const failed: string[] = [];
  for (const name of names.length > 0 ? names : ALL) {
    const begun = performance.now();
    const options = [...(flags.quick ? ["--quick"] : []), ...(names.length === 0 ? ["--whole"] : [])];
    const code = await measure([name, ...options], (line) => {
      lines.push(line);
      process.stdout.write(`${flags.json ? JSON.stringify(line) : render(line)}\n`);
    });
    if (code === INTERRUPTED) return code;
    if (code !== 0) failed.push(name);
    process.stderr.write(`bench: ${name} took ${((performance.now() - begun) / 1_000).toFixed(0)} s\n`);
  }
  const complete = names.length === 0 && !flags.quick && failed.length === 0;
  const folder = flags.out ?? (complete ? DOCS : RESULTS);
  await writeReport(folder, lines, { quick: flags.quick, failed, seconds: (performance.now() - started) / 1_000 });
  process.stderr.write(`bench: wrote ${join(folder, "benchmarks.md")}\n`);
  return failed.length === 0 ? 0 : 1;
}

function readArguments(): {
  values: { quick: boolean; json: boolean; help: boolean; out?: string | undefined };
  positionals: string[];
} {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        out: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    process.exit(say(`${(error as Error).message}\n${USAGE}`, 2));
  }
}

function say(text: string, code: number): number {
  process.stderr.write(text);
  return code;
}

/** Runs a part and passes its lines on. Contract: gives its exit code. */
async function measure(args: readonly string[], onLine: (line: Line) => void): Promise<number> {
  const child = spawn(process.execPath, [PART, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  running = child;
  const ended = once(child, "exit");
  for await (const text of createInterface({ input: child.stdout })) onLine(JSON.parse(text) as Line);
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return signal === null ? (code ?? 1) : INTERRUPTED;
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
