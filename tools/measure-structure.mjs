// Prints how the tree is built: lines of the command line and of openHost, the longest functions, flat folders, public names
// and those that nobody outside their package uses; in a built tree also the hops of a call.
//   node tools/measure-structure.mjs [DIR]               DIR is another tree to compare with
//   node tools/measure-structure.mjs --functions [DIR]   only the functions over 100 lines, each with its lines and its place
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copiesOf } from "./check-shared-facts.mjs";
import { functionsOf } from "./function-lines.mjs";
import { countHops } from "./hops/hops.mjs";
import { idleNames, usingFiles } from "./name-users.mjs";

const listFunctions = process.argv.includes("--functions");
process.chdir(process.argv.slice(2).find((argument) => argument !== "--functions") ?? ".");
const isProduct = (file) => file.endsWith(".ts") && !/\.test\.|\.test\.helper|(^|\/)(testing|fixtures)\//.test(file);
const below = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((file) => join(folder, file))
        .filter((file) => file.endsWith(".ts") && !file.includes("node_modules") && !file.includes("/dist/"))
    : [];
const linesOf = (file) => readFileSync(file, "utf8").split("\n").length - 1;
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
const show = (what, value) => process.stdout.write(`${what.padEnd(58)} ${value}\n`);

const cli = below("apps/cli/src").filter(isProduct);
const packages = readdirSync("packages").filter((name) => existsSync(join("packages", name, "package.json")));
const product = [...cli, ...packages.flatMap((name) => below(join("packages", name, "src")).filter(isProduct))];
const functions = product.flatMap(functionsOf).toSorted((a, b) => b.lines - a.lines);
const long = functions.filter(({ lines }) => lines > 100);
if (listFunctions) {
  for (const { lines, name, file, line } of long) process.stdout.write(`${lines} ${name} ${file}:${line}\n`);
  process.exit();
}
const host = ["packages/host/src/open-host.ts", "apps/cli/src/host.ts"].find((file) => existsSync(file));
show("lines of apps/cli", sum(cli.map(linesOf)));
show("lines of packages/host", sum(below("packages/host/src").filter(isProduct).map(linesOf)));
show(`lines of ${host}`, linesOf(host));

const perFolder = Map.groupBy?.(product, dirname) ?? groupBy(product, dirname);
const flat = [...perFolder]
  .filter(([, files]) => files.length > 20)
  .map(([folder, files]) => `${folder} ${files.length}`);
show("folders with more than 20 files", flat.length === 0 ? "none" : `${flat.length}: ${flat.join(", ")}`);

for (const kind of existsSync("apps/cli/dist") ? ["tool", "mcp"] : []) {
  const { hops, files } = await countHops(".", kind);
  show(`hops of file_edit by ikigai ${kind}`, `${hops}, through ${files} files`);
}

show("functions over 100 lines", long.length);
show("longest function", `${functions[0].lines} lines, ${functions[0].name} in ${functions[0].file}`);

const names = JSON.parse(readFileSync("tools/public-names.json", "utf8"));
const idle = idleNames(names, usingFiles());
for (const [door, offered] of Object.entries(names))
  show(`public names of ${door}`, `${offered.length}, ${idle[door].length} of them not used outside`);
for (const { fact, found } of copiesOf(product.map((file) => [file, readFileSync(file, "utf8")])))
  show(`files that define: ${fact}`, found.length);
show(
  "public names in all",
  `${sum(Object.values(names).map(({ length }) => length))}, ${sum(Object.values(idle).map(({ length }) => length))} not used outside`,
);

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
