// Takes each defence out of a patched copy and runs the test that must then fail. Prints one table.
// node tools/mutations/main.mjs [--again] [--write] [--copies N] [part of a defence's name, of its file or of its test …]
// What an earlier run has shown is not run again, unless told --again; --write keeps the table in table.md.
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transformSync } from "rolldown/utils";
import { defences } from "./defences/index.mjs";
import { openResults } from "./kept-results.mjs";
import { makeCopy, packagesOf } from "./patched-copy.mjs";
import { run, runTest, stopRunning, toPattern } from "./run-test.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { again: { type: "boolean" }, write: { type: "boolean" }, copies: { type: "string", default: "2" } },
});
const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
const packages = packagesOf(root);
const results = openResults(root, defences);
const chosen = defences.filter(
  ({ name, file, test }) => wanted.length === 0 || wanted.some((part) => `${name} ${file} ${test}`.includes(part)),
);
const shown = new Map(chosen.map((defence) => [defence, results.get(defence) ?? { verdict: "not run" }]));
const left = chosen.filter((defence) => values.again || shown.get(defence).verdict !== "yes");
const byTest = new Map();
for (const defence of left) byTest.set(defence.test, [...(byTest.get(defence.test) ?? []), defence]);
process.stderr.write(`${chosen.length} defences, ${left.length} to run\n`);

const groups = [...byTest];
const copies = [];
let done = 0;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
process.on("exit", () => {
  stopRunning();
  for (const copy of copies) copy.remove();
});
await Promise.all(Array.from({ length: Math.min(Number(values.copies), groups.length) }, runGroups));

const table = toTable();
process.stdout.write(table);
if (values.write) {
  writeFileSync(new URL("table.md", import.meta.url), `# Defences and the tests that fail without them\n\n${table}`);
  await run("oxfmt", ["tools/mutations/table.md"], root, env);
}
process.exitCode = chosen.length > 0 && [...shown.values()].every(({ verdict }) => verdict === "yes") ? 0 : 1;

/** Takes one test file after the other, in a copy of its own. */
async function runGroups() {
  const copy = makeCopy(root);
  copies.push(copy);
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const [test, rows] = group;
    const titles = rows.every(({ title }) => title !== undefined) ? rows.map(({ title }) => title) : undefined;
    const healthy = await runTest(copy.folder, test, { titles, env });
    for (const defence of rows) {
      const result = await judge(copy, defence, healthy);
      shown.set(defence, result);
      results.set(defence, result);
      done += 1;
      process.stderr.write(`${done}/${left.length} ${result.verdict}: ${defence.name}\n`);
    }
  }
}

/** Whether a test that passes with the defence fails without it. */
async function judge(copy, defence, healthy) {
  const pattern = new RegExp(toPattern(defence.title ?? ""));
  const mine = healthy.filter(({ title }) => pattern.test(title));
  if (mine.length === 0) return { verdict: "no: no test ran with it" };
  const passed = new Set(mine.filter(({ isPassed }) => isPassed).map(({ title }) => title));
  if (passed.size < mine.length) return { verdict: `no: ${mine.length - passed.size} of ${mine.length} fail with it` };
  const without = await runWithout(copy, defence);
  const failed = without.find(({ title, isPassed }) => !isPassed && passed.has(title));
  if (failed !== undefined) return { verdict: "yes", failed: failed.title };
  return { verdict: without.length === 0 ? "no: no test ran without it" : `no: ${without.length} pass without it` };
}

/** Child processes of tests run what was built, so the patched file is built too. */
async function runWithout(copy, { file, old, new: instead, test, title }) {
  const path = join(copy.folder, file);
  const text = readFileSync(path, "utf8");
  if (text.split(old).length !== 2) return [];
  const folder = packages.find((one) => file.startsWith(`${one}/`)) ?? "";
  const built = join(copy.folder, folder, "dist");
  const kept = join(copy.folder, "kept-dist");
  if (folder !== "") cpSync(built, kept, { recursive: true });
  writeFileSync(
    path,
    text.replace(old, () => instead),
  );
  try {
    if (folder !== "") await buildFile(copy.folder, folder, file);
    const titles = title === undefined ? undefined : [title];
    return await runTest(copy.folder, test, { titles, isUntilFirst: true, env });
  } finally {
    writeFileSync(path, text);
    if (folder !== "") {
      rmSync(built, { recursive: true });
      renameSync(kept, built);
    }
  }
}

/** Writes what the build makes of one file. The compiler does it where the quick way has no helper for the syntax. */
async function buildFile(copied, folder, file) {
  const text = readFileSync(join(copied, file), "utf8");
  const built = join(copied, folder, "dist", file.slice(`${folder}/src/`.length).replace(/\.ts$/, ".js"));
  if (/\busing \w+ =/.test(text)) return run("tsc", ["-p", folder], copied, env);
  const typescript = { rewriteImportExtensions: "rewrite", onlyRemoveTypeImports: true };
  writeFileSync(built, transformSync(file, text, { target: "es2023", typescript }).code);
}

function toTable() {
  const lines = chosen.map((defence) => {
    const { verdict, failed } = shown.get(defence);
    const title = failed ?? defence.title?.replaceAll("|", " or ");
    const named = title === undefined ? "" : `: “${title.replaceAll("|", String.raw`\|`).replaceAll(/\s+/g, " ")}”`;
    return `| ${defence.name} | \`${defence.file}\` | \`${defence.test}\`${named} | ${verdict} |\n`;
  });
  const missed = [...shown.values()].filter(({ verdict }) => verdict !== "yes").length;
  return [
    "| defence | taken out of | test | fails without it |\n| --- | --- | --- | --- |\n",
    ...lines,
    `\n${chosen.length} defences, ${chosen.length - missed} with a test that fails without them, ${missed} without\n`,
  ].join("");
}
