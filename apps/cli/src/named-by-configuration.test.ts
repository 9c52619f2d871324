import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { stopKeeper } from "@ikigai/database";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { PROGRAM } from "./testing/program.ts";

vi.setConfig({ testTimeout: 120_000 });

const node = process.execPath;

let store: string;
let base: string;
let root: string;
let config: string;

beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "ikigai-named-store-"));
});
afterAll(async () => {
  await stopKeeper(join(store, "postgres"));
  await rm(store, { recursive: true, force: true });
});
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ikigai-named-")));
  root = join(base, "hostile");
  config = join(base, "config", "ikigai");
  await mkdir(root, { recursive: true });
  await mkdir(config, { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(file: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

/** Code that leaves a file with its own name behind. */
const mark = (who: string): string => `require("node:fs").writeFileSync(${JSON.stringify(join(base, who))}, "x");\n`;
const markShell = (who: string): string => `#!/bin/sh\necho x > '${join(base, who)}'\n`;
const ran = (who: string): boolean => existsSync(join(base, who));

const configure = (text: object, folder = config): Promise<void> =>
  put(join(folder, "ikigai.config.json"), JSON.stringify({ journal: false, ...text }));

/** The real command, started in the hostile folder as a person would. */
function ikigai(args: readonly string[], more: NodeJS.ProcessEnv = {}, cwd = root): Promise<string> {
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(base, "config"),
    npm_config_offline: "true",
    npm_config_cache: join(base, "npm"),
    ...more,
  };
  return new Promise((done) => {
    execFile(node, [PROGRAM, "--store", store, ...args], { env, cwd }, (_, out, err) => done(out + err));
  });
}

/** A call that loads every source, runs every hook and starts every server. */
const useEverything = (more?: NodeJS.ProcessEnv): Promise<string> =>
  ikigai(["--approve", "none", "tool", "source", '{"op":"list"}'], more);

// Each ran in mode none, in a folder that nobody trusted: the names in the user's own configuration were looked for there first.
test.each<[string, object, () => Promise<void>]>([
  [
    "a source's package",
    { sources: [{ use: "named", mount: "n" }] },
    async () => {
      await put(join(root, "node_modules/named/package.json"), '{"name":"named","main":"i.cjs"}');
      await put(join(root, "node_modules/named/i.cjs"), mark("hostile-ran"));
    },
  ],
  [
    "a source's package that the folder says it is itself",
    { sources: [{ use: "named", mount: "n" }] },
    async () => {
      await put(join(root, "package.json"), '{"name":"named","exports":"./i.cjs","imports":{"#named":"./i.cjs"}}');
      await put(join(root, "i.cjs"), mark("hostile-ran"));
    },
  ],
  [
    "a source's file",
    { sources: [{ use: "./named.cjs", mount: "n" }] },
    () => put(join(root, "named.cjs"), mark("hostile-ran")),
  ],
  [
    "a relative hook",
    { hooks: { before: [{ command: ["./hook.sh"] }] } },
    () => put(join(root, "hook.sh"), markShell("hostile-ran"), 0o755),
  ],
  [
    "a script of a hook",
    { hooks: { after: [{ command: [node, "hook.cjs"] }] } },
    () => put(join(root, "hook.cjs"), mark("hostile-ran")),
  ],
  [
    "npx of an MCP server",
    { mcp: { servers: { n: { command: "npx", args: ["--no", "named-server"] } } } },
    async () => {
      await put(join(root, "package.json"), '{"name":"x"}');
      await put(join(root, "node_modules/.bin/named-server"), markShell("hostile-ran"), 0o755);
    },
  ],
  [
    "node server.js of an MCP server",
    { mcp: { servers: { n: { command: "node", args: ["server.js"] } } } },
    () => put(join(root, "server.js"), mark("hostile-ran")),
  ],
  [
    "a relative program of an MCP server",
    { mcp: { servers: { n: { command: "bin/server" } } } },
    () => put(join(root, "bin/server"), markShell("hostile-ran"), 0o755),
  ],
])("an untrusted folder does not stand in for %s of the user's configuration", async (_, text, lay) => {
  await put(join(root, "a.txt"), "a");
  await configure(text);
  await lay();
  await useEverything();
  expect(ran("hostile-ran")).toBe(false);
});

test.each([
  ["of the workspace", () => join(root, "bin")],
  ["that is relative", () => "bin"],
  ["that is empty, which is the current one", () => ""],
  ["that leads into the workspace by a link", () => join(base, "link")],
])("no program is taken from a folder of PATH %s", async (_, folder) => {
  for (const name of ["bin/npx", "bin/named", "npx", "named"])
    await put(join(root, name), markShell("hostile-ran"), 0o755);
  await symlink(join(root, "bin"), join(base, "link"));
  await put(join(root, "a.txt"), "a");
  await configure({
    hooks: { after: [{ command: ["named"] }, { command: ["sh", "-c", "named"] }] },
    mcp: {
      servers: {
        n: { command: "npx", args: ["named"] },
        s: { command: "sh", args: ["-c", `echo x > '${join(base, "server-started")}'; named`] },
      },
    },
  });
  const said = await useEverything({ PATH: `${folder()}${delimiter}${process.env["PATH"] ?? ""}` });
  expect(ran("server-started")).toBe(true);
  expect(ran("hostile-ran")).toBe(false);
  expect(said).toContain("The program named was not found outside the workspace");
});

test("NODE_PATH and NODE_OPTIONS of a folder reach neither plugins by name nor hooks nor servers", async () => {
  await put(join(root, "modules/named/package.json"), '{"name":"named","main":"i.cjs"}');
  await put(join(root, "modules/named/i.cjs"), mark("hostile-ran"));
  await put(join(root, "a.txt"), "a");
  await put(join(config, "hook.cjs"), 'require("named");');
  await configure({
    sources: [{ use: "named", mount: "n" }],
    hooks: { after: [{ command: [node, "hook.cjs"] }] },
    mcp: { servers: { n: { command: "node", args: ["hook.cjs"] } } },
  });
  await useEverything({ NODE_PATH: "modules" });
  expect(ran("hostile-ran")).toBe(false);
});

test("what the user's configuration names is found beside that configuration", async () => {
  await put(join(root, "a.txt"), "a");
  await put(join(config, "node_modules/named/package.json"), '{"name":"named","main":"i.cjs"}');
  await put(join(config, "node_modules/named/i.cjs"), mark("package"));
  await put(join(config, "file.cjs"), mark("file"));
  await put(
    join(config, "hook.sh"),
    `#!/bin/sh\npwd > '${join(base, "hook")}'\necho "$IKIGAI_WORKSPACE" >> '${join(base, "hook")}'\n`,
    0o755,
  );
  await put(join(config, "node_modules/.bin/named-server"), markShell("npx"), 0o755);
  await put(join(config, "server.js"), mark("server"));
  await configure({
    sources: [
      { use: "named", mount: "n" },
      { use: "./file.cjs", mount: "f" },
    ],
    hooks: { before: [{ command: ["./hook.sh"] }] },
    mcp: {
      servers: {
        x: { command: "npx", args: ["--no", "named-server"] },
        y: { command: "node", args: ["server.js"] },
      },
    },
  });
  await useEverything();
  expect(["package", "file", "hook", "npx", "server"].filter((who) => !ran(who))).toEqual([]);
  expect((await readFile(join(base, "hook"), "utf8")).split("\n").slice(0, 2)).toEqual([config, root]);
});

test("a trusted project's hook runs in its root, wherever it was called from, and its package is its own", async () => {
  const project = join(base, "above", "project");
  await put(join(base, "above/node_modules/above/package.json"), '{"name":"above","main":"i.cjs"}');
  await put(join(base, "above/node_modules/above/i.cjs"), mark("above-ran"));
  await put(join(project, "a.txt"), "a");
  await put(join(project, "node_modules/own/package.json"), '{"name":"own","main":"i.cjs"}');
  await put(join(project, "node_modules/own/i.cjs"), mark("own"));
  await put(join(project, "hook.sh"), `#!/bin/sh\npwd > '${join(base, "where")}'\n`, 0o755);
  await put(join(root, "hook.sh"), markShell("hostile-ran"), 0o755);
  await configure(
    {
      sources: [
        { use: "own", mount: "o" },
        { use: "above", mount: "u" },
      ],
      hooks: { after: [{ command: ["./hook.sh"] }] },
    },
    project,
  );
  await ikigai(["--root", project, "trust", "--yes"]);
  const said = await ikigai(["--root", project, "tool", "file_read", '{"path":"a.txt"}']);
  expect((await readFile(join(base, "where"), "utf8")).trim()).toBe(project);
  expect(ran("own")).toBe(true);
  expect(ran("above-ran")).toBe(false);
  expect(said).toContain('Plugin "above" failed at resolve: it is not installed');
  expect(ran("hostile-ran")).toBe(false);
});
