// The whole test: format, lint, boundaries, public names, then every test with coverage. Ends with one plain line.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const report = join(tmpdir(), `ikigai-test-${process.pid}.json`);
const steps = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--quiet"],
  ["boundaries", process.execPath, "tools/check-boundaries.mjs"],
  ["public names", process.execPath, "tools/check-public-names.mjs"],
];
const only = process.argv.slice(2);
let failedSteps = 0;
for (const [name, ...command] of only.length > 0 ? [] : steps) {
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { encoding: "utf8" });
  process.stdout.write(status === 0 ? `ok ${name}\n` : `not ok ${name}\n${stdout}${stderr}`);
  if (status !== 0) failedSteps++;
}

const coverage = only.length > 0 ? [] : ["--coverage"];
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const run = spawnSync("vitest", ["run", ...coverage, ...reporters, ...only], { stdio: "inherit" });
const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = readReport();
const failed = numFailedTests + failedSteps + (run.status !== 0 && numFailedTests === 0 ? 1 : 0);
process.stdout.write(`\n${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;

function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
  } finally {
    rmSync(report, { force: true });
  }
}
