// Prints what installing each package alone brings: packages and size, as a table for the docs. `--write` updates the page.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closureOf, install, installed, manifestOf, packAll, PACKAGES } from "./pack.mjs";

const PAGE = fileURLToPath(new URL("../docs/package-sizes.md", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "ikigai-sizes-"));
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

try {
  const tarballs = await packAll(base);
  const rows = [];
  for (const name of [...PACKAGES.keys()].toSorted()) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { optionalDependencies } = manifestOf(PACKAGES.get(name));
    rows.push(await measure(tarballs, name, true));
    if (optionalDependencies !== undefined) rows.push(await measure(tarballs, name, false));
    process.stderr.write(`${name}\n`);
  }
  const head = ["package", "itself, kB", "direct dependencies", "packages installed", "installed, MB"];
  const lines = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const table = `${lines.join("\n")}\n`;
  process.stdout.write(table);
  if (process.argv.includes("--write")) writeFileSync(PAGE, `${readFileSync(PAGE, "utf8").split("\n| ")[0]}\n${table}`);
} finally {
  rmSync(base, { recursive: true, force: true });
}

async function measure(tarballs, name, optional) {
  const folder = mkdtempSync(join(base, "alone-"));
  const needed = closureOf(name, { optional }).map((one) => tarballs.get(one));
  await install(folder, needed, { optional });
  const modules = join(folder, "node_modules");
  const { dependencies, optionalDependencies } = manifestOf(PACKAGES.get(name));
  const row = [
    optional ? `\`${name}\`` : `\`${name}\` with \`--omit=optional\``,
    Math.ceil(bytesIn(join(modules, name)) / 1_000),
    Object.keys({ ...dependencies, ...(optional && optionalDependencies) }).length,
    packagesIn(folder),
    (bytesIn(modules) / 1e6).toFixed(1),
  ];
  rmSync(folder, { recursive: true, force: true });
  return row;
}

/** Also those that are there in a second version. */
function packagesIn(folder) {
  return installed(folder).reduce((count, name) => {
    const nested = join(folder, "node_modules", name, "node_modules");
    const below = lstatSync(nested, { throwIfNoEntry: false }) ? packagesIn(join(folder, "node_modules", name)) : 0;
    return count + 1 + below;
  }, 0);
}

function bytesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((file) => lstatSync(join(folder, file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
