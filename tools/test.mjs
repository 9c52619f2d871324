// The whole test: format, lint, boundaries, public names, decisions, then every test, those of core and memory with coverage. Ends with one plain line.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeMemoryFolder, removeFolder } from "./memory-folder.mjs";

const report = join(tmpdir(), `ikigai-test-${process.pid}.json`);
const steps = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--quiet"],
  ["boundaries", process.execPath, "tools/check-boundaries.mjs"],
  ["public names", process.execPath, "tools/check-public-names.mjs"],
  ["decisions", process.execPath, "tools/check-decisions.mjs"],
];
const only = process.argv.slice(2);
let failedSteps = 0;
for (const [name, ...command] of only.length > 0 ? [] : steps) {
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { encoding: "utf8" });
  process.stdout.write(status === 0 ? `ok ${name}\n` : `not ok ${name}\n${stdout}${stderr}`);
  if (status !== 0) failedSteps++;
}

const runs = only.length > 0 ? [only] : [["--coverage", "--project=measured"], ["--project=!measured"]];
const totals = { passed: 0, failed: failedSteps, skipped: 0 };
// Who names a folder gets what they named.
const folder = only.length > 0 || process.env.TMPDIR ? undefined : makeMemoryFolder();
let stopped = false;
// Vitest ends its own processes; what was written is removed here.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void (stopped = true));
for (const args of runs) {
  if (stopped) break;
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const env = { ...process.env, ...(folder !== undefined && { TMPDIR: folder }) };
  const [status] = await once(spawn("vitest", ["run", ...reporters, ...args], { stdio: "inherit", env }), "exit");
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = readReport();
  totals.passed += numPassedTests;
  totals.failed += numFailedTests + (status !== 0 && numFailedTests === 0 ? 1 : 0);
  totals.skipped += numPendingTests + numTodoTests;
}
if (folder !== undefined) removeFolder(folder);
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exitCode = totals.failed === 0 && !stopped ? 0 : 1;

function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  } finally {
    rmSync(report, { force: true });
  }
}
