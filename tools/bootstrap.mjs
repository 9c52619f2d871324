// Installs and builds what is out of date, then runs what was asked for: start, test, faults, fuzz, mutations, clients or bench.
// Needs nothing but Node and npm. Everything it prints itself goes to standard error.
// What is out of date is known to pnpm, by the lockfile that it installed, and to turbo, by its cache; nothing is recorded here.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { removeLeftovers } from "./leftover-outputs.mjs";
import { findPackage, workspacePackages } from "./workspace-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [task = "start", ...args] = process.argv.slice(2);
const env = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  TURBO_TELEMETRY_DISABLED: "1",
  npm_config_loglevel: "error",
};
const SCRIPTS = {
  test: "tools/test.mjs",
  faults: "tools/faults.mjs",
  fuzz: "tools/fuzz/main.mjs",
  mutations: "tools/mutations/main.mjs",
  clients: "tools/clients/main.mjs",
  bench: "bench/dist/main.js",
};

if (!isInstalled()) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  step("install", ["npx", "-y", packageManager, "install", "--frozen-lockfile", "--reporter=append-only"]);
}
const only = task === "test" && args.length > 0 ? findPackage(args[0]) : undefined;
if (only !== undefined) {
  // The package, what it needs and nothing else; turbo knows when all of that is as it was when the tests passed.
  run("turbo", [
    "run",
    "test",
    "--filter",
    only.name,
    "--output-logs=full",
    "--no-update-notifier",
    "--",
    ...args.slice(1),
  ]);
} else {
  step("build", ["turbo", "run", "build", "--output-logs=errors-only", "--no-update-notifier"]);
  for (const { folder } of workspacePackages()) removeLeftovers(folder);
  if (task === "start") await start();
  else run(process.execPath, [SCRIPTS[task], ...args]);
}

async function start() {
  process.chdir(process.env.INIT_CWD ?? root);
  process.argv.splice(1, 2, join(root, "node_modules", ".bin", "ikigai"));
  await import(pathToFileURL(join(root, "apps", "cli", "bin", "ikigai.js")).href);
}

/** Runs what was asked for, and ends as it does. */
function run(command, given) {
  // Who stops the run waits for it to clean up.
  process.on("SIGINT", () => {});
  process.exitCode = spawnSync(command, given, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}

/** Whether pnpm's own copy of the lockfile that it installed is the lockfile of today. */
function isInstalled() {
  const installed = join(root, "node_modules", ".pnpm", "lock.yaml");
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(join(root, "pnpm-lock.yaml")));
}

/** Runs a command and says that it does when it takes longer than a moment. */
function step(name, [command, ...given]) {
  const started = performance.now();
  if (name === "install" || !workspacePackages().every(({ folder }) => existsSync(join(folder, "dist"))))
    process.stderr.write(`ikigai: ${name} …\n`);
  const done = spawnSync(command, given, {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1 << 26,
    shell: process.platform === "win32",
  });
  if (done.status !== 0) {
    process.stderr.write(done.stdout ?? `${done.error}\n`);
    process.stderr.write(`ikigai: ${name} failed\n`);
    process.exit(1);
  }
  const seconds = (performance.now() - started) / 1000;
  if (seconds > 3) process.stderr.write(`ikigai: ${name} done in ${seconds.toFixed(1)} s\n`);
}
