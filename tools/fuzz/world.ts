import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { canariesIn, hostileGitConfig } from "./canaries.ts";
import { shelfPlugin } from "./shelf-plugin.ts";
import { FILES, PROTECTED_FILES, type WorldPlan } from "./world-plan.ts";

/** A world as it stands on the disk. */
export interface World extends Disposable {
  readonly plan: WorldPlan;
  readonly base: string;
  /** The workspace itself, where that is the user's home. */
  readonly home: string;
  readonly work: string;
  readonly outside: string;
  readonly handbook: string;
  /** Where the user's plugin keeps its texts. */
  readonly shelf: string;
  readonly marks: string;
  /** The folder of the user's own configuration. */
  readonly config: string;
  /** The folder of our own state, which worlds share. */
  readonly store: string;
  /** What a process of this user gets. */
  readonly env: Readonly<Record<string, string>>;
}

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Makes the folders of a world below `parent`, or around the store where that lies inside the workspace.
 *
 * Contract: whoever makes it disposes of it.
 */
export function makeWorld(plan: WorldPlan, parent: string, store: string): World {
  const base = plan.isStateInside ? dirname(dirname(store)) : mkdtempSync(join(parent, `world-${plan.seed}-`));
  const [work, outside, handbook, shelf, marks] = ["work", "outside", "handbook", "shelf", "marks"].map((name) =>
    join(base, name),
  ) as [string, string, string, string, string];
  const home = plan.folder === "project" ? join(base, "home") : work;
  const configHome = plan.isConfigInside ? join(work, "conf") : join(home, ".config");
  const config = join(configHome, "ikigai");
  for (const folder of [home, work, outside, handbook, shelf, marks, config, join(base, "tmp")])
    mkdirSync(folder, { recursive: true });
  const world: World = {
    plan,
    base,
    home,
    work,
    outside,
    handbook,
    shelf,
    marks,
    config,
    store,
    env: {
      HOME: home,
      XDG_CACHE_HOME: join(base, "tmp"),
      XDG_CONFIG_HOME: configHome,
      TMPDIR: join(base, "tmp"),
      PATH: plan.isWorkspaceOnPath ? `${work}/node_modules/.bin:${work}/bin:${SYSTEM_PATH}` : SYSTEM_PATH,
      FUZZ_SECRET: "the-key-of-the-user",
    },
    [Symbol.dispose]: () =>
      plan.isStateInside ? emptyAround(base, store) : rmSync(base, { recursive: true, force: true }),
  };
  fillOutside(world);
  fillWorkspace(world);
  fillConfig(world);
  return world;
}

/** Removes everything below `folder` but what leads to `kept` and `kept` itself. */
function emptyAround(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path === kept) continue;
    if (kept.startsWith(`${path}/`)) emptyAround(path, kept);
    else rmSync(path, { recursive: true, force: true });
  }
}

/** `{base}` and `{store}` of a call as they are in this world. */
export function inWorld<T>({ base, home, store }: Pick<World, "base" | "home" | "store">, value: T): T {
  const text = JSON.stringify(value).replaceAll("{base}/home", home).replaceAll("{base}", base);
  return JSON.parse(text.replaceAll("{store}", store)) as T;
}

/** The files of our state that grant or trust; the rest of it changes with every call. */
export function stateFiles({ store }: Pick<World, "store">): readonly string[] {
  return [join(store, "permissions.json"), join(store, "trust.json")];
}

/** The folders that hold the texts of each mount. */
export function mountedFolders({ work, handbook, shelf, store }: World): Readonly<Record<string, string>> {
  return { file: work, handbook, shelf, state: store, host: "" };
}

function put(path: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function fillOutside({ home, outside, handbook, shelf }: World): void {
  put(join(home, ".bashrc"), "# of the user\n");
  put(join(home, ".ssh/authorized_keys"), "ssh-ed25519 AAAA user\n", 0o600);
  put(join(home, ".gitconfig"), "[user]\n\tname = user\n");
  put(join(outside, "secret.txt"), "SECRET-OUTSIDE\n");
  put(join(outside, "deep/other.md"), "# Other\n");
  put(join(shelf, "s.md"), "# On the shelf\n");
  put(join(handbook, "h.md"), "# Handbook\n");
  put(join(handbook, "closed/h.md"), "# Closed\n");
  symlinkSync("../outside/secret.txt", join(handbook, "out.txt"));
}

function fillWorkspace(world: World): void {
  const { plan, work, marks } = world;
  for (const [path, text] of Object.entries({ ...FILES, ...PROTECTED_FILES })) put(join(work, path), text);
  put(join(work, "bin.dat"), Buffer.from([0, 1, 2, 255, 254, 0]));
  execFileSync("mkfifo", [join(work, "pipe")]);
  for (const repository of [".git", "sub/.git"]) makeRepository(join(work, repository), work);
  put(join(work, "sub/s.md"), "# In the nested repository\n");
  // A bare repository of plain files, which git takes for one unless told otherwise.
  makeRepository(join(work, "bare"), work);
  for (const { path, text, isProgram } of canariesIn(marks)) put(join(work, path), text, isProgram ? 0o755 : 0o644);
  put(join(work, "hooks/trusted.cjs"), TRUSTED_HOOK);
  if (plan.project !== "absent") put(join(work, "ikigai.config.json"), JSON.stringify(projectConfig(plan)));
  for (const { at, to } of plan.links) {
    try {
      mkdirSync(dirname(join(work, at)), { recursive: true });
      symlinkSync(inWorld(world, to), join(work, at));
    } catch {
      // Two links of one name: the first stays.
    }
  }
  for (const { at, to } of plan.hardLinks) linkSync(inWorld(world, to), join(work, at));
}

function makeRepository(folder: string, work: string): void {
  put(join(folder, "HEAD"), "ref: refs/heads/main\n");
  put(join(folder, "config"), hostileGitConfig(work));
  for (const name of ["objects", "refs/heads"]) mkdirSync(join(folder, name), { recursive: true });
}

const TRUSTED_HOOK = "process.stdin.resume();\nprocess.stdin.on('end', () => process.exit(0));\n";

/** A trusted project brings a quiet hook; one that is not trusted brings programs that leave marks. */
function projectConfig({ project }: WorldPlan): object {
  if (project === "trusted") {
    return {
      hooks: { before: [{ command: [process.execPath, "hooks/trusted.cjs"], tools: ["list_tags", "add_tag"] }] },
    };
  }
  return {
    rules: [{ glob: "locked/**", permission: "admin" }],
    hooks: { before: [{ command: ["./evil-hook.sh"] }] },
    sources: [{ use: "./evil-source.mjs", mount: "evil" }],
    mcp: { servers: { evil: { command: process.execPath, args: ["evil-server.cjs"] } } },
  };
}

/** The user's own configuration, and the programs that it names, which stand beside it. */
function fillConfig({ plan, config, handbook, shelf, store }: World): void {
  const { rules, ceilings, userNames } = plan;
  const toRules = (of: WorldPlan["rules"], prefix: string): object[] =>
    Object.entries(of).map(([folder, permission]) => ({ glob: `${prefix}${folder}/**`, permission }));
  const sources = [
    ...(plan.handbook === "absent"
      ? []
      : [
          {
            use: "@ikigai/source-file",
            mount: "handbook",
            options: { root: handbook },
            ...(plan.handbook === "read_only" && { permission: "read_only" }),
          },
        ]),
    ...(plan.mountsState ? [{ use: "@ikigai/source-file", mount: "state", options: { root: store } }] : []),
    ...(plan.hasPlugin ? [{ use: "./shelf.mjs", mount: "shelf", options: { folder: shelf } }] : []),
    ...(userNames.source
      ? [
          { use: "./source.mjs", mount: "beside" },
          { use: "fuzz-source", mount: "packaged" },
        ]
      : []),
  ];
  put(
    join(config, "ikigai.config.json"),
    JSON.stringify({
      rules: toRules(rules, ""),
      agents: [{ name: plan.agent, permissions: toRules(ceilings, "file:///") }],
      ...(sources.length > 0 && { sources }),
      ...(userNames.hook && { hooks: { before: [{ command: ["./hook.sh"], tools: ["search_by_tags"] }] } }),
      ...(userNames.server && { mcp: { servers: { side: { command: process.execPath, args: ["server.cjs"] } } } }),
      answer_within_ms: 10_000,
    }),
  );
  put(join(config, "hook.sh"), "#!/bin/sh\nexit 0\n", 0o755);
  put(join(config, "server.cjs"), SIDE_SERVER);
  if (plan.hasPlugin) put(join(config, "shelf.mjs"), shelfPlugin());
}

/** A small MCP server, spoken by hand. */
const SIDE_SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "side", version: "1" } } });
  else if (method === "tools/list")
    send({ id, result: { tools: [{ name: "echo", description: "Says it again.", inputSchema: { type: "object", properties: {} } }] } });
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "again" }] } });
  else if (method === "ping") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: "not here" } });
}).on("close", () => process.exit());
`;
