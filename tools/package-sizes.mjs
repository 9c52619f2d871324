// Prints what installing each package alone brings: packages and size, as a table for the docs. `--write` updates the page.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closureOf, install, installed, manifestOf, pack, PACKAGES } from "./pack.mjs";

const PAGE = fileURLToPath(new URL("../docs/package-sizes.md", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "ikigai-sizes-"));
const tarballs = new Map();
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

try {
  const rows = [];
  for (const name of [...PACKAGES.keys()].toSorted()) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    rows.push(await measure(name));
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

async function measure(name) {
  const folder = mkdtempSync(join(base, "alone-"));
  for (const one of closureOf(name)) if (!tarballs.has(one)) tarballs.set(one, await pack(one, base));
  await install(
    folder,
    closureOf(name).map((one) => tarballs.get(one)),
  );
  const modules = join(folder, "node_modules");
  const direct = Object.keys(manifestOf(PACKAGES.get(name)).dependencies ?? {}).length;
  const own = bytesIn(join(modules, name));
  const row = [
    `\`${name}\``,
    Math.ceil(own / 1_000),
    direct,
    installed(folder).length,
    (bytesIn(modules) / 1e6).toFixed(1),
  ];
  rmSync(folder, { recursive: true, force: true });
  return row;
}

function bytesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((file) => lstatSync(join(folder, file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
