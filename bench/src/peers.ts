import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

/** What we measure against, each at an exact version. write-file-atomic 7 is the last that runs on our Node. */
export const PEERS = {
  "@leeoniya/ufuzzy": "1.0.19",
  "@modelcontextprotocol/client": "2.4.0",
  "@modelcontextprotocol/server-filesystem": "2026.8.31",
  "@modelcontextprotocol/server-memory": "2026.8.31",
  "@orama/orama": "3.1.18",
  "@vscode/ripgrep": "1.18.0",
  minisearch: "7.2.0",
  "write-file-atomic": "7.0.1",
} as const;

export type PeerName = keyof typeof PEERS;

/** Peers that have a folder of their own. The first two have left our Node; newer ones of pi cannot be installed whole. */
export const SEPARATE_PEERS = {
  "write-file-atomic": "8.0.0",
  "@earendil-works/pi-coding-agent": "0.87.1",
  "opencode-ai": "1.18.33",
} as const;

/** Contract: the folder with that one peer. */
export function installSeparately(name: keyof typeof SEPARATE_PEERS): Promise<string> {
  return installPackages({ [name]: SEPARATE_PEERS[name] });
}

/** The peers, installed. */
export interface Peers {
  /** Contract: the module of a peer, or of a part of one such as `NAME/stdio`. */
  load<T>(name: string): Promise<T>;
  /** Absolute path of a file inside a peer's package. */
  file(name: PeerName, path: string): string;
}

let opening: Promise<Peers> | undefined;

/** Contract: installs them once per set of versions, outside the workspace, and says so on standard error. */
export function openPeers(): Promise<Peers> {
  return (opening ??= install());
}

async function install(): Promise<Peers> {
  const folder = await installPackages(PEERS);
  const loader = (await import(pathToFileURL(join(folder, "load.mjs")).href)) as {
    load(name: string): Promise<unknown>;
  };
  return {
    load: async <T>(name: string) => (await loader.load(name)) as T,
    file: (name, path) => join(folder, "node_modules", name, path),
  };
}

/** The folder with these packages in its `node_modules`. Contract: installs a set once; rejects when npm cannot. */
export async function installPackages(versions: Readonly<Record<string, string>>): Promise<string> {
  const wanted = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
  const key = createHash("sha256").update(wanted.join(" ")).digest("hex").slice(0, 12);
  const folder = join(cacheDirectory(), "bench-peers", key);
  if (existsSync(join(folder, "load.mjs"))) return folder;
  process.stderr.write(`bench: installing ${wanted.join(", ")} …\n`);
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, "package.json"), '{ "private": true, "type": "module" }\n');
  const flags = ["--no-audit", "--no-fund", "--save-exact", "--loglevel=error"];
  await promisify(execFile)("npm", ["install", ...flags, ...wanted], {
    cwd: unfinished,
    env: withoutNpm(),
    shell: process.platform === "win32",
  });
  await writeFile(join(unfinished, "load.mjs"), "export const load = (name) => import(name);\n");
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true, force: true }));
  return folder;
}

/** The environment without what a script run by npm adds, which would make npm install into the workspace. */
function withoutNpm(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|command|execpath|config_local_prefix)/.test(name) && name !== "INIT_CWD",
  );
  return Object.fromEntries(kept);
}

function cacheDirectory(): string {
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "ikigai");
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "ikigai");
}
