// Each package's public names are listed in tools/public-names.json, so that a new one is a decision. `--write` updates it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const LIST = "tools/public-names.json";
/** How many names a package may offer before it should be split. */
const BUDGET = 110;

/** The names that an index file exports, types included. */
export function exportedNames(text) {
  const names = [];
  for (const [, list] of text.matchAll(/export\s+(?:type\s+)?\{([^}]*)\}/g)) {
    for (const item of list.split(",")) {
      const name = item
        .replace(/^\s*type\s+/, "")
        .split(/\sas\s/)
        .at(-1)
        ?.trim();
      if (name) names.push(name);
    }
  }
  for (const [, name] of text.matchAll(/export\s+(?:async\s+)?(?:const|function|class|interface|type)\s+(\w+)/g))
    names.push(name);
  return names.toSorted();
}

/** What can be imported of a package, by the name that it is imported with, and the file that it is made from. */
function doorsOf(name) {
  const { exports = {} } = JSON.parse(readFileSync(join("packages", name, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([entry]) => entry !== "./package.json")
    .map(([entry, { types = "" }]) => [
      `@ikigai/${name}${entry.slice(1)}`,
      join("packages", name, types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts")),
    ]);
}

function current() {
  const found = {};
  for (const name of readdirSync("packages").toSorted()) {
    if (!existsSync(join("packages", name, "package.json"))) continue;
    for (const [door, file] of doorsOf(name)) found[door] = exportedNames(readFileSync(file, "utf8"));
  }
  return found;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const now = current();
  if (process.argv.includes("--write")) writeFileSync(LIST, `${JSON.stringify(now, undefined, 2)}\n`);
  const listed = JSON.parse(readFileSync(LIST, "utf8"));
  for (const entry of new Set([...Object.keys(now), ...Object.keys(listed)])) {
    const names = now[entry] ?? [];
    const known = listed[entry] ?? [];
    const added = names.filter((name) => !known.includes(name));
    const removed = known.filter((name) => !names.includes(name));
    if (added.length + removed.length > 0) fail(`${entry}: added [${added}], removed [${removed}]; see ${LIST}`);
    if (names.length > BUDGET) fail(`${entry}: ${names.length} names are more than ${BUDGET}`);
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
