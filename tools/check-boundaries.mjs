// Packages import only what their place in the tree allows: core ← memory, database ← everything else ← apps.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const DOMAIN = ["core", "database", "memory"];
const PLUGIN = ["core", "database"];
/** What puts the others together. It names no package that brings its own part, such as shell, notes and recall. */
const HOST = ["core", "database", "memory", "agent", "mcp", "permission", "store-postgres"];
const HOST_SOURCES = ["source-file", "source-postgres"];
const ALLOWED = { core: [], memory: ["core"], database: ["core"], host: [...HOST, ...HOST_SOURCES] };
const PLUGINS = /^(source-.*|shell|mcp)$/;
/** What the tests of the host prove: the parts that packages bring. */
const PARTS = /^(notes|recall|shell)$/;

/** What the package `name` may import, by short name. */
export function allowedImports(name) {
  return ALLOWED[name] ?? (PLUGINS.test(name) ? PLUGIN : DOMAIN);
}

/** One sentence per import that goes against the direction. */
export function findViolations(name, files) {
  const problems = [];
  for (const [file, text] of files) {
    // The list of what our packages bring is made from their manifests: the one place that names them all.
    if (file.endsWith("host/src/parts/own-packages.ts")) continue;
    for (const [, target] of text.matchAll(/(?:from|import)\s*\(?\s*"@ikigai\/([a-z-]+)(?:\/[a-z-]+)?"/g)) {
      if (target === name || allowedImports(name).includes(target)) continue;
      const isTest = /\.test(?:\.helper)?\.ts$/.test(file);
      if (isTest && (PLUGINS.test(target) || (name === "host" && PARTS.test(target)))) continue;
      problems.push(`${file}: @ikigai/${name} may not import @ikigai/${target}`);
    }
    if (/(?:from|import)\s*\(?\s*"(?:ikigai|@ikigai\/cli)"/.test(text)) problems.push(`${file}: nothing imports apps`);
  }
  return problems;
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [join(folder, file), readFileSync(join(folder, file), "utf8")]);
}

function manifestProblems(name) {
  const manifest = JSON.parse(readFileSync(join("packages", name, "package.json"), "utf8"));
  const problems = [];
  const peers = Object.keys(manifest.peerDependencies ?? {});
  // The generator writes packages that need core and imports nothing of it.
  if (name !== "core" && name !== "create-source" && !peers.includes("@ikigai/core"))
    problems.push(`${name}: @ikigai/core must be a peer dependency`);
  if (manifest.license !== "MIT" || manifest.type !== "module") problems.push(`${name}: must be MIT and ESM`);
  if (name === "core" && Object.keys(manifest.dependencies ?? {}).some((one) => one !== "@standard-schema/spec")) {
    problems.push("core: no run-time dependency but the types of @standard-schema/spec");
  }
  return problems;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = readdirSync("packages").filter((name) => existsSync(join("packages", name, "package.json")));
  const problems = names.flatMap((name) => [
    ...manifestProblems(name),
    ...findViolations(name, filesOf(join("packages", name, "src"))),
  ]);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
