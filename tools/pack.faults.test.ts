import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closureOf, install, installed, packAll, PACKAGES } from "./pack.mjs";
import { PROGRAMS } from "./pack-programs.mjs";

const run = promisify(execFile);
const create = fileURLToPath(new URL("../packages/create-source/bin/create-ikigai-source.js", import.meta.url));
const secondHost = fileURLToPath(new URL("../examples/05-second-host/dist/second-host.js", import.meta.url));
const QUIET = ["--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--loglevel=error"];
let tarballs: ReadonlyMap<string, string>;
let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-pack-all-"));
  tarballs = await packAll(base);
}, 180_000);
afterAll(() => rm(base, { recursive: true, force: true }));

const tarball = (name: string): string => tarballs.get(name) ?? "";
const oursIn = (folder: string): string[] => installed(folder).filter((one) => PACKAGES.has(one));

test.each(Object.entries(PROGRAMS))(
  "%s works with core alone, and no other backend is there",
  async (name, program) => {
    const folder = await mkdtemp(join(base, "alone-"));
    await install(folder, closureOf(name).map(tarball));
    await writeFile(join(folder, "run.mjs"), program);
    expect((await run(process.execPath, ["run.mjs"], { cwd: folder })).stdout).toBe("ok\n");
    expect(oursIn(folder).toSorted()).toEqual(closureOf(name).toSorted());
  },
);

test.each(["block", "stream"])(
  "a new %s is installed, built, tested, packed and checked by the command",
  async (kind) => {
    const folder = join(base, kind);
    await run(process.execPath, [create, "my-plugin", "--kind", kind, "--description", "x", "--directory", folder]);
    await run("npm", ["install", ...QUIET, "--save-dev", tarball("@ikigai/core")], { cwd: folder });
    expect((await run("npm", ["test"], { cwd: folder })).stdout).toMatch(/# fail 0$|fail 0$/m);
    expect(oursIn(folder)).toEqual(["@ikigai/core"]);
    await run("npm", ["pack", "--pack-destination", base], { cwd: folder });

    const user = await mkdtemp(join(base, "user-"));
    await install(user, [...closureOf("ikigai").map(tarball), join(base, "my-plugin-0.0.0.tgz")], { optional: false });
    await writeFile(join(user, "mine.json"), '{ "a.md": "hello" }');
    const ikigai = commandIn(user);
    const options = kind === "block" ? '{"file":"mine.json"}' : "{}";
    const added = await ikigai("plugin", "add", "my-plugin", "--mount", "mine", "--options", options).catch(
      (error: { stderr: string }) => error.stderr,
    );
    expect(added).toContain("Added my-plugin as mine:///");
    await ikigai("trust", "--yes");
    expect(await ikigai("plugin", "list")).toMatch(/^mine +my-plugin +ok$/m);
    expect(await ikigai("plugin", "check", "mine")).toMatch(/ hold, 0 do not(, \d+ could not be seen)?$/m);
    expect(await ikigai("sources")).toMatch(/^mine:\/\/\//m);
    expect(await ikigai("plugin", "remove", "mine")).toContain("Removed mine");
  },
);

const typescript = createRequire(import.meta.url)("typescript/package.json") as { readonly version: string };

test("a new part needs core and host only, and is loaded by the command and by a host of one's own", async () => {
  const folder = join(base, "part");
  const host = closureOf("@ikigai/host");
  await run(process.execPath, [create, "my-part", "--kind", "part", "--description", "x", "--directory", folder]);
  // The compiler's own program is an optional package of it.
  const compiler = `@typescript/typescript-${process.platform}-${process.arch}@${typescript.version}`;
  const added = [compiler, ...host.map(tarball)];
  await run("npm", ["install", ...QUIET, "--omit=optional", "--save-dev", ...added], { cwd: folder });
  expect((await run("npm", ["test"], { cwd: folder })).stdout).toMatch(/# fail 0$|fail 0$/m);
  expect(oursIn(folder).toSorted()).toEqual(host.toSorted());
  await run("npm", ["pack", "--pack-destination", base], { cwd: folder });
  const packed = join(base, "my-part-0.0.0.tgz");

  const user = await mkdtemp(join(base, "user-"));
  await install(user, [...closureOf("ikigai").map(tarball), packed], { optional: false });
  await writeFile(join(user, "a.md"), "three little words");
  const ikigai = commandIn(user);
  expect(await ikigai("plugin", "add", "my-part", "--options", '{"limit":2}')).toContain("Added the part my-part");
  await ikigai("trust", "--yes");
  expect(await ikigai("plugin", "list")).toMatch(/^part my-part +my-part +ok$/m);
  expect(await ikigai("plugin", "check", "my-part")).toMatch(/ hold, 0 do not, 1 could not be seen$/m);
  expect(await ikigai("tool", "count_words", '{"path":"a.md"}')).toContain('{"words":2}');
  expect(await ikigai("tool", "slash_command", '{"command":"/words a.md"}')).toContain("2 words");

  const application = await mkdtemp(join(base, "application-"));
  await install(application, [...host.map(tarball), packed], { optional: false });
  await mkdir(join(application, "config/ikigai"), { recursive: true });
  await writeFile(join(application, "config/ikigai/ikigai.config.json"), '{ "parts": [{ "use": "my-part" }] }');
  await copyFile(secondHost, join(application, "second-host.mjs"));
  const server = spawn(process.execPath, ["second-host.mjs", user, join(application, "state")], {
    cwd: application,
    env: { ...process.env, XDG_CONFIG_HOME: join(application, "config") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [url] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    const post = async (path: string, body: unknown): Promise<string> => {
      const headers = { "x-client": "test" };
      return (await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) })).text();
    };
    expect(await post("call", { name: "count_words", arguments: { path: "a.md" } })).toContain('{"words":3}');
    expect(await post("command", { line: "/words a.md" })).toContain("3 words");
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
});

test("the command works with the file source alone, and gets the shell when it is added", async () => {
  const folder = await mkdtemp(join(base, "cli-"));
  await install(folder, closureOf("ikigai").map(tarball), { optional: false });
  expect(oursIn(folder).toSorted()).toEqual(
    [
      "@ikigai/agent",
      "@ikigai/core",
      "@ikigai/host",
      "@ikigai/memory",
      "@ikigai/permission",
      "@ikigai/source-file",
      "@ikigai/terminal",
      "ikigai",
    ].toSorted(),
  );
  const ikigai = commandIn(folder);
  await ikigai("tool", "file_write", '{"path":"a.md","content":"hello"}', "--approve", "edits");
  expect(await readFile(join(folder, "a.md"), "utf8")).toBe("hello");
  expect(await ikigai("history", "a.md")).toContain("created");
  await run("npm", ["install", ...QUIET, tarball("@ikigai/shell")], { cwd: folder });
  expect(await ikigai("tool", "grep", '{"pattern":"hello","path":"a.md"}')).toContain('"count":1');
});

test("the command brings everything unless it is told not to", async () => {
  const folder = await mkdtemp(join(base, "all-"));
  await install(folder, closureOf("ikigai", { optional: true }).map(tarball));
  expect(await commandIn(folder)("tools")).toMatch(/^recall /m);
});

function commandIn(folder: string): (...args: readonly string[]) => Promise<string> {
  const bin = join(folder, "node_modules/.bin/ikigai");
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, ".config"),
    XDG_DATA_HOME: join(folder, ".data"),
  };
  return async (...args) => {
    await mkdir(env.XDG_CONFIG_HOME, { recursive: true });
    return (await run(bin, ["--root", folder, ...args], { cwd: folder, env })).stdout;
  };
}
