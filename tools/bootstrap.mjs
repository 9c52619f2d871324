// Installs and builds what is out of date, then runs what was asked for: start, test, faults, fuzz, mutations, clients or bench.
// Needs nothing but Node and npm. Everything it prints itself goes to standard error.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { removeLeftovers } from "./leftover-outputs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const [task = "start", ...args] = process.argv.slice(2);
const env = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
  npm_config_loglevel: "error",
};

upToDate("install", installInputs, [
  "npx",
  "-y",
  packageManager,
  "install",
  "--frozen-lockfile",
  "--reporter=append-only",
]);
upToDate(
  "build",
  buildInputs,
  ["turbo", "run", "build", "--output-logs=errors-only", "--no-update-notifier"],
  removeAllLeftovers,
);

if (task === "start") {
  process.chdir(process.env.INIT_CWD ?? root);
  process.argv.splice(1, 2, join(root, "node_modules", ".bin", "ikigai"));
  await import(pathToFileURL(join(root, "apps", "cli", "bin", "ikigai.js")).href);
} else {
  const scripts = {
    test: "tools/test.mjs",
    faults: "tools/faults.mjs",
    fuzz: "tools/fuzz/main.mjs",
    mutations: "tools/mutations/main.mjs",
    clients: "tools/clients/main.mjs",
    bench: "bench/dist/main.js",
  };
  // Who stops the run waits for it to clean up.
  process.on("SIGINT", () => {});
  const child = spawnSync(process.execPath, [scripts[task], ...args], { cwd: root, env, stdio: "inherit" });
  process.exitCode = child.status ?? 1;
}

/** Runs `command` unless its inputs are what they were when it last succeeded. */
function upToDate(step, inputs, command, finish = () => {}) {
  const fingerprint = inputs();
  const stamp = join(root, "node_modules", ".ikigai", step);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint) return;
  process.stderr.write(`ikigai: ${step} …\n`);
  const started = performance.now();
  const done = spawnSync(command[0], command.slice(1), {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1 << 26,
    shell: process.platform === "win32",
  });
  if (done.status !== 0) {
    process.stderr.write(done.stdout ?? `${done.error}\n`);
    process.stderr.write(`ikigai: ${step} failed\n`);
    process.exit(1);
  }
  finish();
  process.stderr.write(`ikigai: ${step} done in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  mkdirSync(join(root, "node_modules", ".ikigai"), { recursive: true });
  writeFileSync(stamp, inputs());
}

function installInputs() {
  const hash = createHash("sha256");
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests()]) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

function buildInputs() {
  const hash = createHash("sha256").update(readFileSync(join(root, "tsconfig.base.json")));
  for (const manifest of manifests()) {
    const folder = manifest.slice(0, -"package.json".length);
    hash.update(readFileSync(join(root, manifest)));
    if (existsSync(join(root, folder, "tsconfig.json")) && !existsSync(join(root, folder, "dist")))
      hash.update("missing");
    for (const file of sources(join(root, folder, "src"))) {
      const { mtimeMs, size } = statSync(file);
      hash.update(`${file} ${mtimeMs} ${size}\n`);
    }
  }
  return hash.digest("hex");
}

function removeAllLeftovers() {
  for (const manifest of manifests()) removeLeftovers(join(root, manifest, ".."));
}

function manifests() {
  const folders = ["packages", "apps", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  return [...folders, "bench"]
    .map((folder) => join(folder, "package.json"))
    .filter((file) => existsSync(join(root, file)));
}

function sources(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();
}
