// Takes each defence out of a patched copy and runs the test that must then fail. Prints one table.
// node tools/mutations/main.mjs [part of a defence's name or of its file …]
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defences } from "./defences/index.mjs";
import { makeCopy, packagesOf } from "./patched-copy.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wanted = process.argv.slice(2);
const chosen = defences.filter(
  ({ name, file, test }) => wanted.length === 0 || wanted.some((part) => `${name} ${file} ${test}`.includes(part)),
);
const copy = makeCopy(root);
const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
const packages = packagesOf(root);
const rows = [];
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
process.on("exit", copy.remove);

const healthy = new Map();
for (const defence of chosen.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
  const key = `${defence.test} ${defence.title ?? ""}`;
  if (!healthy.has(key)) healthy.set(key, runTest(defence));
  const before = healthy.get(key);
  const without = before.failed === 0 && before.passed > 0 ? runWithout(defence) : undefined;
  const verdict =
    without === undefined
      ? `no: ${describe(before)} as it is`
      : without.failed > 0
        ? "yes"
        : `no: ${describe(without)}`;
  rows.push({ ...defence, verdict });
  process.stderr.write(`${rows.length}/${chosen.length} ${verdict}: ${defence.name}\n`);
}

process.stdout.write("| defence | test | fails without it |\n| --- | --- | --- |\n");
for (const { name, test, title, verdict } of rows)
  process.stdout.write(
    `| ${name} | \`${test}\`${title === undefined ? "" : `: “${title.replaceAll("|", " or ")}”`} | ${verdict} |\n`,
  );
const missed = rows.filter(({ verdict }) => verdict !== "yes").length;
process.stdout.write(
  `\n${rows.length} defences, ${rows.length - missed} with a test that fails without them, ${missed} without\n`,
);
process.exitCode = missed === 0 && rows.length > 0 ? 0 : 1;

function describe({ passed, failed }) {
  return passed + failed === 0 ? "no test ran" : `${passed} passed, ${failed} failed`;
}

function runWithout(defence) {
  const file = join(copy.folder, defence.file);
  const text = readFileSync(file, "utf8");
  if (text.split(defence.old).length !== 2) return { passed: 0, failed: 0 };
  writeFileSync(
    file,
    text.replace(defence.old, () => defence.new),
  );
  try {
    build(defence);
    return runTest(defence);
  } finally {
    writeFileSync(file, text);
    build(defence);
  }
}

/** Child processes of tests run what was built; a patch may leave a name unused, which does not stop the build. */
function build({ file }) {
  const folder = packages.find((one) => file.startsWith(`${one}/`));
  if (folder !== undefined) spawnSync("tsc", ["-b", folder], { cwd: copy.folder, env, stdio: "ignore" });
}

/** How many tests passed and failed. Contract: a file that cannot be loaded counts as no test. */
function runTest({ test, title }) {
  const report = join(copy.folder, "report.json");
  rmSync(report, { force: true });
  const config = test.endsWith(".faults.test.ts") ? ["-c", "vitest.faults.config.ts"] : [];
  const pattern = title === undefined ? [] : ["-t", title.split("|").map(escapePattern).join("|")];
  const args = ["run", ...config, test, ...pattern, "--reporter=json", `--outputFile=${report}`];
  spawnSync("vitest", args, { cwd: copy.folder, env, stdio: "ignore", timeout: 600_000 });
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

/** Titles with %s or $what stand for several tests. */
function escapePattern(text) {
  const parts = text.split(/%[sijdf]|\$\w+/);
  return parts.map((part) => part.replaceAll(/[.*+?^${}()[\]\\]/g, "\\$&")).join(".*");
}
