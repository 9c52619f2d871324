import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { stopKeeper } from "@ikigai/database";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openConfig, readConfig } from "@ikigai/host/configuration";
import { connectOverStdio } from "../mcp/testing/official-client.ts";
import { resolveSettings, type Settings } from "../settings.ts";
import { type CodeRuns, type Command, createCodeRuns, hookUnit, openProjectTrust } from "@ikigai/host/trust";

// A script with packages and a plugin were compared with what was trusted and then read again by Node, in their place:
// whoever wrote between the two ran anything.

vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);
const ikigai = fileURLToPath(new URL("../../bin/ikigai.js", import.meta.url));
const ROUNDS = 40;
let base: string;
let root: string;
let settings: Settings;
let flipping: ReturnType<typeof spawn> | undefined;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ikigai-held-")));
  root = join(base, "project");
  await mkdir(root);
  settings = resolveSettings({ root, store: join(base, "state") }, { XDG_CONFIG_HOME: join(base, "config") });
});
afterEach(async () => {
  flipping?.kill("SIGKILL");
  flipping = undefined;
  await stopKeeper(join(base, "state", "postgres"));
  await rm(base, { recursive: true, force: true });
});

async function put(path: string, text: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}~`, text, { mode: 0o755 });
  await rename(`${file}~`, file);
}
const trustIt = async (): Promise<void> => (await openProjectTrust(settings, await readConfig(root))).accept();
/** What untrusted code does when it runs, as CommonJS and as an ES module. */
const evil = (file: string): string =>
  file.endsWith(".mjs")
    ? `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(base, "bad"))}, "x"); export const part = "evil";\n`
    : `require("node:fs").writeFileSync(${JSON.stringify(join(base, "bad"))}, "x"); exports.part = "evil";\n`;

interface Layout {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: Command;
  /** The file that is exchanged. */
  readonly part: string;
}

const PACKAGE = {
  "node_modules/dep/package.json": '{"name":"dep","version":"1.0.0","main":"index.js"}',
  "node_modules/dep/index.js": 'exports.part = require("./lib/part.js").part; exports.data = require("./data.json");\n',
  "node_modules/dep/lib/part.js": 'exports.part = "good";\n',
  "node_modules/dep/data.json": "{}",
  "node_modules/mod/package.json": '{"name":"mod","version":"1.0.0","type":"module","exports":"./index.mjs"}',
  "node_modules/mod/index.mjs": 'export { part } from "./part.mjs";\n',
  "node_modules/mod/part.mjs": 'export const part = "good";\n',
};
const says = "console.log(part);\n";
const asCommonJs = { ...PACKAGE, "hook.cjs": `const { part } = require("dep");\n${says}` };
const asModule = { ...PACKAGE, "hook.mjs": `import { part } from "mod";\nimport dep from "dep";\nvoid dep;\n${says}` };
const LAYOUTS: readonly Layout[] = [
  { what: "a package's entry", files: asCommonJs, command: ["node", "hook.cjs"], part: "node_modules/dep/index.js" },
  {
    what: "a file in a package",
    files: asCommonJs,
    command: ["node", "hook.cjs"],
    part: "node_modules/dep/lib/part.js",
  },
  { what: "the script itself", files: asCommonJs, command: ["node", "hook.cjs"], part: "hook.cjs" },
  {
    what: "an ES module of a package",
    files: asModule,
    command: ["node", "hook.mjs"],
    part: "node_modules/mod/part.mjs",
  },
  {
    what: "a package that an ES module imports",
    files: asModule,
    command: ["node", "hook.mjs"],
    part: "node_modules/dep/lib/part.js",
  },
  { what: "an ES module itself", files: asModule, command: ["node", "hook.mjs"], part: "hook.mjs" },
  {
    what: "an ES module behind one that is required",
    files: { ...PACKAGE, "hook.cjs": `const { part } = require("mod");\n${says}` },
    command: ["node", "hook.cjs"],
    part: "node_modules/mod/part.mjs",
  },
  {
    what: "a helper of a script that asks where it lies",
    files: {
      "hook.cjs": `const { part } = require("./helper.cjs");\nvoid __dirname;\n${says}`,
      "helper.cjs": 'exports.part = "good";\n',
    },
    command: ["node", "hook.cjs"],
    part: "helper.cjs",
  },
  {
    what: "a package of a script that is a program",
    files: { ...PACKAGE, "hook.cjs": `#!/usr/bin/env node\nconst { part } = require("dep");\n${says}` },
    command: ["./hook.cjs"],
    part: "node_modules/dep/lib/part.js",
  },
];

async function openRuns({ files, command }: Layout): Promise<{ runs: CodeRuns; prepare: () => Promise<Command> }> {
  for (const [path, text] of Object.entries(files)) await put(path, text);
  await put("ikigai.config.json", JSON.stringify({ hooks: { before: [{ command }] } }));
  await trustIt();
  const { config, trust } = await openConfig(settings, () => {});
  const runs = createCodeRuns({ root, stateDirectory: settings.stateDirectory, ...(trust && { trust }) });
  const [hook] = config.hooks?.before ?? [];
  if (hook === undefined) throw new Error("the hook is not there");
  return { runs, prepare: () => runs.prepare(hookUnit(hook, root), hook.command) };
}

const start = ([program, ...args]: Command): Promise<{ stdout: string; stderr: string }> =>
  run(program, args, { cwd: root });

test.each(LAYOUTS)("$what that is exchanged after it was judged does not run", async (layout) => {
  const { runs, prepare } = await openRuns(layout);
  using _ = runs;
  expect((await start(await prepare())).stdout).toBe("good\n");
  const judged = await prepare();
  await put(layout.part, evil(layout.part));
  await expect(start(judged)).rejects.toThrow(
    `${layout.part} changed since it was trusted; look at it with: ikigai trust`,
  );
  expect(existsSync(join(base, "bad"))).toBe(false);
  await put(layout.part, layout.files[layout.part] ?? "");
  expect((await start(judged)).stdout).toBe("good\n");
});

test("a file that appears in a trusted package, or before it on the way, does not run", async () => {
  const layout: Layout = { what: "", files: asCommonJs, command: ["node", "hook.cjs"], part: "" };
  const { runs, prepare } = await openRuns(layout);
  using _ = runs;
  const judged = await prepare();
  await put("node_modules/dep/other.js", evil("other.js"));
  await put("node_modules/dep/package.json", '{"name":"dep","version":"1.0.0","main":"other.js"}');
  await expect(start(judged)).rejects.toThrow("was not there when");
  await put("node_modules/dep/package.json", PACKAGE["node_modules/dep/package.json"]);
  await rename(join(root, "node_modules/dep"), join(root, "node_modules/old"));
  await put("elsewhere/index.js", evil("index.js"));
  await put("node_modules/dep.js", evil("dep.js"));
  await expect(start(judged)).rejects.toThrow("was not there when");
  expect(existsSync(join(base, "bad"))).toBe(false);
});

test.each(LAYOUTS.slice(1, 5))(
  "$what that flickers runs with the bytes that were trusted, or not at all",
  async (layout) => {
    const { runs, prepare } = await openRuns(layout);
    using _ = runs;
    const script = `const fs = require("node:fs"); const [path, one, other] = process.argv.slice(1);
    for (let at = 0; ; at++) { fs.writeFileSync(path + "~", at % 2 ? one : other); fs.renameSync(path + "~", path);
      if (at === 1) console.log("on"); }`;
    const texts = [layout.files[layout.part] ?? "", evil(layout.part)];
    const flicker = spawn(process.execPath, ["-e", script, join(root, layout.part), ...texts], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    flipping = flicker;
    await new Promise((done) => flicker.stdout.once("data", done));
    const outcomes = { denied: 0, refused: 0, ran: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const judged = await prepare().catch((error: unknown) => {
        expect(error).toMatchObject({ code: "permission_denied" });
        return undefined;
      });
      if (judged === undefined) outcomes.denied++;
      else
        await start(judged).then(
          ({ stdout }) => {
            expect(stdout).toBe("good\n");
            outcomes.ran++;
          },
          (error: Error) => {
            expect(error.message).toContain("changed since it was trusted");
            outcomes.refused++;
          },
        );
    }
    expect(existsSync(join(base, "bad"))).toBe(false);
    expect(outcomes.denied).toBeLessThan(ROUNDS);
  },
);

/** A plugin that waits at a pipe in the middle of its import, so that a file can be exchanged just then. */
const plugin = (dependency: string): string => `
import { readFileSync } from "node:fs";
const name = process.argv[1].endsWith("probe-plugin.js") ? "probe" : "own";
readFileSync(${JSON.stringify(`${base}/gate-`)} + name);
const { part } = await import(${JSON.stringify(dependency)});
const accept = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export const source = {
  name: "gated", kind: "block", contract: 1, capabilities: [], options: accept,
  async open() { return { read: async () => ({ text: part, version: "1" }), async *list() {} }; },
};`;

/** Lets whoever waits at the pipe go on. Contract: resolves `exchange` while it waits. */
async function passGate(name: string, exchange: () => Promise<void>): Promise<void> {
  const gate = await open(join(base, `gate-${name}`), "w");
  await exchange();
  await gate.close();
}

test.each([
  ["in its probe", "./part.mjs", "probe"],
  ["in our own process", "./part.mjs", "own"],
  ["of a package in our own process", "dep", "own"],
])(
  "what a plugin imports %s is what was judged, though it is exchanged meanwhile",
  async (_, dependency, exchangeAt) => {
    const part = dependency === "dep" ? "node_modules/dep/lib/part.js" : "part.mjs";
    for (const [path, text] of Object.entries(PACKAGE)) await put(path, text);
    await put("part.mjs", 'export const part = "good";\n');
    await run("/usr/bin/mkfifo", [join(base, "gate-probe"), join(base, "gate-own")]);
    await put("plugin.mjs", plugin(dependency));
    await put("ikigai.config.json", JSON.stringify({ sources: [{ use: "./plugin.mjs", mount: "gated" }] }));
    await trustIt();
    const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config") };
    const args = ["--root", root, "--store", join(base, "state"), "tool", "file_read", '{"path":"gated:///x"}'];
    const read = async (exchangeAt?: string): Promise<string> => {
      const done = run(process.execPath, [ikigai, ...args], { env }).then(
        ({ stdout, stderr }) => stdout + stderr,
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
      const exchange = (): Promise<void> => put(part, evil(part));
      await passGate("probe", async () => (exchangeAt === "probe" ? exchange() : undefined));
      if (exchangeAt !== "probe") await passGate("own", async () => (exchangeAt === "own" ? exchange() : undefined));
      return done;
    };
    expect(await read()).toContain('"good"');
    const refused = await read(exchangeAt);
    expect(refused).toContain(`${part} changed since it was trusted; look at it with: ikigai trust`);
    expect(refused).not.toContain("evil");
    expect(existsSync(join(base, "bad"))).toBe(false);
  },
);

/** An MCP server in one file, which says its greeting and can be ended. */
const serverScript = (greeting: string): string => `
const { appendFileSync } = require("node:fs");
appendFileSync(process.env.STARTED, ${JSON.stringify(`${greeting}\n`)});
const inputSchema = { type: "object" };
const tools = [{ name: "hail", description: "Greets.", inputSchema }, { name: "die", description: "Ends it.", inputSchema }];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => (name === "die" ? process.exit(1) : { content: [{ type: "text", text: ${JSON.stringify(greeting)} }] }),
  ping: () => ({}),
};
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const result = answers[method]?.(params);
    const answer = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  }
});
`;

test("an MCP server that is started again is judged anew: one whose script changed meanwhile is not", async () => {
  const started = join(base, "started");
  await put("server.cjs", serverScript("good"));
  const server = { command: process.execPath, args: ["server.cjs"], env: { STARTED: started } };
  await put("ikigai.config.json", JSON.stringify({ mcp: { servers: { own: server } } }));
  await trustIt();
  const client = await connectOverStdio(
    ["--root", root, "--store", join(base, "state"), "--approve", "all", "mcp", "--tools", "own__*"],
    { env: { XDG_CONFIG_HOME: join(base, "config") } },
  );
  const call = async (name: string): Promise<string> =>
    JSON.stringify(await client.callTool({ name: `own__${name}`, arguments: {} }));
  const starts = async (): Promise<string> => readFile(started, "utf8");
  try {
    await expect.poll(() => call("hail"), { timeout: 60_000 }).toContain("good");
    await put("server.cjs", serverScript("evil"));
    await call("die");
    await expect.poll(() => call("hail"), { timeout: 60_000 }).toContain("server.cjs changed since it was trusted");
    expect(await starts()).toBe("good\n");
    await put("server.cjs", serverScript("good"));
    await expect.poll(() => call("hail"), { timeout: 60_000 }).toContain('"good"');
    expect(await starts()).toBe("good\ngood\n");
  } finally {
    await client.close();
  }
});
