// Where clients are tried: a store that they share, and a fresh home and workspace for each.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stopKeeper } from "../../packages/database/dist/index.js";
import { killProcess } from "./processes.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const ikigai = fileURLToPath(new URL("../../apps/cli/bin/ikigai.js", import.meta.url));

/** Tokens that may be pinned: little, so that one text is too large. */
export const BUDGET = 1_000;
export const END = "THE-LAST-WORD-OF-IT";

/** The store that all clients share: starting one takes longer than most clients. Contract: whoever opens it closes it. */
export function openStore() {
  const base = mkdtempSync(join(tmpdir(), "ikigai-clients-store-"));
  const flags = ["--root", base, "--store", join(base, "store")];
  const { status, stderr } = spawnSync(process.execPath, [ikigai, ...flags, "budget", String(BUDGET)], {
    // The empty store that this user's stores begin with: making one anew takes a busy machine minutes.
    env: {
      ...process.env,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
      HOME: base,
      XDG_CONFIG_HOME: base,
    },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`no store: ${stderr}`);
  return {
    path: join(base, "store"),
    async close() {
      await stopKeeper(join(base, "store", "postgres"));
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A fresh home and workspace for one client. Contract: `close` ends every server that was started for it. */
export function openPlace(name, store) {
  const base = mkdtempSync(join(tmpdir(), `ikigai-clients-${name}-`));
  const home = join(base, "home");
  const workspace = join(base, "project");
  const grow = join(base, "signals", "grow");
  for (const folder of [workspace, dirname(grow), join(home, ".config", "ikigai")])
    mkdirSync(folder, { recursive: true });
  const server = { command: process.execPath, args: [join(here, "growing-server.mjs"), grow] };
  const config = { mcp: { servers: { growing: server } } };
  writeFileSync(join(home, ".config", "ikigai", "ikigai.config.json"), JSON.stringify(config));
  const flags = ["--root", workspace, "--store", store.path];
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_CACHE_HOME: join(home, ".cache") };
  writeFileSync(join(base, "server.json"), JSON.stringify({ env, args: [...flags, "mcp"] }));
  writeFileSync(join(base, "servers"), "");
  writeFileSync(join(workspace, "small.txt"), linesOf(7_000));
  const large = linesOf(200_000);
  writeFileSync(join(workspace, "large.txt"), large);
  writeFileSync(join(workspace, "plan.txt"), "first\n");
  const started = () => readFileSync(join(base, "servers"), "utf8").trim().split("\n").filter(Boolean).map(Number);

  return {
    base,
    home,
    workspace,
    /** Numbered lines of the large text. */
    largeLines: large.split("\n").length - 2,
    /** An address in the store that no other client writes to. */
    block: `ikigai:///blocks/${name}.md`,
    /** How a client starts the server. */
    command: process.execPath,
    args: [join(here, "serve.mjs"), base],
    /** What every client is given, and nothing else of the user's environment. */
    environment: (node) => ({
      ...env,
      PATH: [dirname(node), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
      LANG: "C.UTF-8",
      TERM: "dumb",
      CI: "1",
      NO_COLOR: "1",
    }),
    changePlan: () => writeFileSync(join(workspace, "plan.txt"), "changed by a person\n"),
    growList: () => writeFileSync(grow, ""),
    /** Kills the servers without a word to them. Contract: false when none was running. */
    killServers: () => started().map(killProcess).includes(true),
    /** What one call of the command line on the same store prints. */
    ikigai: (...args) =>
      spawnSync(process.execPath, [ikigai, ...flags, ...args], { env: { ...process.env, ...env }, encoding: "utf8" })
        .stdout,
    close() {
      for (const pid of started()) killProcess(pid);
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Numbered lines of about `size` characters, then a last word. */
function linesOf(size) {
  const lines = [];
  for (let length = 0; length < size; length += lines.at(-1).length + 1) {
    lines.push(`${lines.length + 1}. The "quick" brown fox jumps\tover the lazy dog, and nobody knows why it does.`);
  }
  return `${lines.join("\n")}\n${END}\n`;
}
