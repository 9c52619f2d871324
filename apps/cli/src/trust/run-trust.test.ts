import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { openConfig, readConfig } from "@ikigai/host/configuration";
import { resolveSettings, type Settings } from "../settings.ts";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";
import { createCodeRuns, hookUnit, openProjectTrust } from "@ikigai/host/trust";

vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const ROUNDS = 60;
let base: string;
let root: string;
let settings: Settings;
let flipping: ReturnType<typeof spawn> | undefined;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "ikigai-run-trust-")));
  root = join(base, "project");
  await mkdir(root);
  settings = resolveSettings({ root, store: join(base, "state") }, { XDG_CONFIG_HOME: join(base, "config") });
});
afterEach(async () => {
  flipping?.kill("SIGKILL");
  flipping = undefined;
  await rm(base, { recursive: true, force: true });
});
afterAll(closeSharedStore);

const put = (path: string, text: string): Promise<void> => writeFile(join(root, path), text, { mode: 0o755 });
const hooks = (...command: string[]): string => JSON.stringify({ hooks: { before: [{ command }] } });
const trustIt = async (): Promise<void> => (await openProjectTrust(settings, await readConfig(root))).accept();

/** Exchanges two contents of a file as fast as it can, in a process of its own. */
async function flicker(path: string, one: string, other: string): Promise<void> {
  const script = `const fs = require("node:fs"); const [path, one, other] = process.argv.slice(1);
    for (let at = 0; ; at++) { fs.writeFileSync(path + "~", at % 2 ? one : other, { mode: 0o755 });
      fs.renameSync(path + "~", path); if (at === 1) console.log("on"); }`;
  const started = spawn(process.execPath, ["-e", script, join(root, path), one, other], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  flipping = started;
  await new Promise((done) => started.stdout.once("data", done));
}

// The file was read for the check and again for its use: untrusted content was used in 12 of 40 starts.
test("a configuration that flickers between two contents never counts with the one that was not trusted", async () => {
  const [good, bad] = [hooks("true"), hooks("touch", join(base, "bad"))];
  await put("ikigai.config.json", good);
  await trustIt();
  await flicker("ikigai.config.json", good, bad);
  const seen = new Set<string | undefined>();
  for (let round = 0; round < ROUNDS; round++) {
    const { config } = await openConfig(settings, () => {});
    seen.add(config.hooks?.before?.[0]?.command[0]);
  }
  expect([...seen].filter((program) => program !== undefined && program !== "true")).toEqual([]);
});

// Checked at the start and read again by the interpreter: whoever could write the script ran anything at the next call.
test.each([
  [
    "a script of Node",
    "hook.cjs",
    ["node", "hook.cjs"],
    "process.stdin.resume();\n",
    (bad: string) => `require("node:fs").writeFileSync(${JSON.stringify(bad)}, "x");\n`,
  ],
  ["a shell script", "hook.sh", ["./hook.sh"], "#!/bin/sh\ntrue\n", (bad: string) => `#!/bin/sh\ntouch '${bad}'\n`],
] as const)(
  "%s that flickers runs with the bytes that were trusted, or not at all",
  async (_, file, command, good, makeBad) => {
    const bad = makeBad(join(base, "bad"));
    await put(file, good);
    await put("ikigai.config.json", hooks(...command));
    await trustIt();
    const { config, trust } = await openConfig(settings, () => {});
    using runs = createCodeRuns({ root, stateDirectory: settings.stateDirectory, ...(trust && { trust }) });
    const [hook] = config.hooks?.before ?? [];
    if (hook === undefined) throw new Error("the hook is not there");
    await flicker(file, good, bad);
    let ran = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const prepared = await runs.prepare(hookUnit(hook, root), hook.command).catch((error: unknown) => {
        expect(error).toMatchObject({ code: "permission_denied" });
        return undefined;
      });
      if (prepared === undefined) continue;
      const [program, ...args] = prepared;
      const started = run(program, args, { cwd: root });
      started.child.stdin?.end();
      await started;
      ran++;
    }
    expect(existsSync(join(base, "bad"))).toBe(false);
    expect(ran).toBeGreaterThan(0);
  },
);

test("each run of a hook is judged anew in one process, and trust that is given or taken back elsewhere counts at once", async () => {
  await put("hook.cjs", "1;\n");
  await put("ikigai.config.json", hooks("node", "hook.cjs"));
  await trustIt();
  const { config, trust } = await openConfig(settings, () => {});
  using runs = createCodeRuns({ root, stateDirectory: settings.stateDirectory, ...(trust && { trust }) });
  const [hook] = config.hooks?.before ?? [];
  if (hook === undefined) throw new Error("the hook is not there");
  const prepare = (): Promise<unknown> => runs.prepare(hookUnit(hook, root), hook.command);
  await prepare();
  await put("hook.cjs", "2;\n");
  await expect(prepare()).rejects.toThrow("hook.cjs changed since it was trusted");
  await trustIt();
  await prepare();
  await (await openProjectTrust(settings, await readConfig(root))).revoke();
  await expect(prepare()).rejects.toThrow("taken back");
});

test("a person who can be asked is asked at the next run after a change, once for each change", async () => {
  await put("Makefile", "all:\n\ttrue\n");
  await put("ikigai.config.json", hooks("make"));
  await trustIt();
  const answers = [false, true];
  let asked = 0;
  const decide = async (): Promise<boolean> => {
    asked++;
    return answers.shift() ?? false;
  };
  const { config, trust } = await openConfig(settings, () => {}, decide);
  using runs = createCodeRuns({ root, stateDirectory: settings.stateDirectory, ...(trust && { trust }) });
  const [hook] = config.hooks?.before ?? [];
  if (hook === undefined) throw new Error("the hook is not there");
  const prepare = (): Promise<unknown> => runs.prepare(hookUnit(hook, root), hook.command);
  await prepare();
  expect(asked).toBe(0);
  await put("a.md", "1");
  await expect(prepare()).rejects.toThrow("anything in this folder");
  await expect(prepare()).rejects.toThrow("anything in this folder");
  expect(asked).toBe(1);
  await put("b.md", "1");
  await prepare();
  await prepare();
  expect(asked).toBe(2);
});

test.each([
  ["a link to /dev/zero", (file: string) => symlink("/dev/zero", file)],
  ["a pipe", async (file: string) => void (await run("/usr/bin/mkfifo", [file]))],
  ["a folder", (file: string) => mkdir(file)],
])("%s as configuration is an error of the user's own and no effect of a folder's, at once", async (_, lay) => {
  await lay(join(root, "ikigai.config.json"));
  const warned: string[] = [];
  expect((await openConfig(settings, (line) => void warned.push(line))).config).toEqual({});
  expect(warned.join()).toContain("not a regular file, so it has no effect");
  await mkdir(settings.configDirectory, { recursive: true });
  await lay(join(settings.configDirectory, "ikigai.config.json"));
  await expect(openConfig(settings, () => {})).rejects.toMatchObject({ code: "unavailable" });
});

test("what trusted hooks, servers and plugins are made of needs a person in every mode, also through a link", async () => {
  const workspace = await openWorkspace();
  const lay = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(workspace.root, path)), { recursive: true });
    await writeFile(join(workspace.root, path), text);
  };
  await lay("hook.cjs", 'require("./lib/helper.js");');
  await lay("lib/helper.js", "");
  await lay("server.cjs", "");
  await lay("plugin.mjs", 'import "./lib/part.mjs";');
  await lay("lib/part.mjs", "");
  await lay("free.js", "");
  await symlink("lib/helper.js", join(workspace.root, "innocent.txt"));
  const config = {
    hooks: { after: [{ command: ["node", "hook.cjs"] }] },
    mcp: { servers: { s: { command: "node", args: ["server.cjs"] } } },
    sources: [{ use: "./plugin.mjs", mount: "p" }],
  };
  await lay("ikigai.config.json", JSON.stringify(config));
  const write = async (path: string): Promise<number> => {
    const input = JSON.stringify({ path, content: "changed" });
    return (
      await workspace.run(["permission", "explain", "file_write", input, "--approve", "all", "--json"])
    ).out.includes('"person"')
      ? 1
      : 0;
  };
  expect(await write("hook.cjs")).toBe(0);
  await workspace.run(["trust", "--yes"]);
  const paths = ["hook.cjs", "lib/helper.js", "server.cjs", "plugin.mjs", "lib/part.mjs", "innocent.txt", "free.js"];
  const asked: string[] = [];
  for (const path of paths) if ((await write(path)) === 1) asked.push(path);
  expect(asked).toEqual(paths.slice(0, -1));
  await workspace.close();
});
