import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPluginName } from "./plugin-name.ts";
import { createScratch } from "./scratch.ts";

const run = promisify(execFile);
const bin = fileURLToPath(new URL("../../../../apps/cli/bin/ikigai.js", import.meta.url));
const core = new URL("../../../../packages/core/dist/index.js", import.meta.url).href;
const SLOW = 120_000;

const PLUGIN = `
  import { defineDataBlock, defineTool } from ${JSON.stringify(core)};
  const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: "object", properties: {} }), output: () => ({ type: "object" }) } } };
  const holding = (name, text) => defineDataBlock({
    name, capabilities: [], options: schema,
    open: async () => ({
      read: async (path) => {
        console.log("noise of read");
        process.stdout.write("more noise\\n");
        return path === "a.md" ? { text, version: "1" } : undefined;
      },
      async *list() { console.info("noise of list"); yield { path: "a.md" }; },
    }),
    tools: () => [defineTool({ name: name + "_hello", description: "Says hello.", input: schema, effects: () => [],
      run: async () => { console.log("noise of a tool"); return { said: "hello of " + name }; } })],
  });
  export const first = holding("first", "one");
  export const second = holding("second", "two");
  export const number = 3;`;

let base: string;
let root: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-use-"));
  root = join(base, "root");
  const config = join(base, "config/ikigai");
  await mkdir(root, { recursive: true });
  await mkdir(join(config, "node_modules/several"), { recursive: true });
  await writeFile(
    join(config, "node_modules/several/package.json"),
    '{ "name": "several", "type": "module", "exports": "./i.js" }',
  );
  await writeFile(join(config, "node_modules/several/i.js"), PLUGIN);
  await writeFile(join(config, "own.mjs"), PLUGIN);
});
afterAll(() => rm(base, { recursive: true, force: true }));

async function ikigai(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config"), XDG_DATA_HOME: join(base, "data") };
  return run(process.execPath, [bin, "--root", root, ...args], { env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
}

async function configure(...sources: readonly object[]): Promise<void> {
  await writeFile(join(base, "config/ikigai/ikigai.config.json"), JSON.stringify({ sources, journal: false }));
}

test("several sources of one package are mounted by the names of their exports", { timeout: SLOW }, async () => {
  await configure(
    { use: "several#first", mount: "one" },
    { use: "several#second", mount: "two" },
    { use: "./own.mjs#second", mount: "three" },
  );
  const texts = [];
  for (const mount of ["one", "two", "three"]) {
    // Tools of one name cannot both be there, so the third is left out, and says so.
    const { stdout } = await ikigai("tool", "file_read", JSON.stringify({ path: `${mount}:///a.md` }));
    texts.push((JSON.parse(stdout) as { data?: { content: string }; code?: string }).data?.content);
  }
  expect(texts).toEqual(["one", "two", undefined]);
});

test.each([
  ["several", "several#first"],
  ["several#third", "It exports: first, second"],
  ["several#number", "no source definition called number"],
])("the plugin %s is left out, and the message helps: %s", { timeout: SLOW }, async (use, words) => {
  await configure({ use, mount: "x" });
  const { stderr } = await ikigai("tool", "source", '{"op":"list"}');
  expect(stderr).toContain(words);
});

test("what a plugin prints while it works never mixes into the result", { timeout: SLOW }, async () => {
  await configure({ use: "several#first", mount: "one" });
  for (const [tool, input, wanted] of [
    ["file_read", { path: "one:///a.md" }, { content: "one" }],
    ["glob", { pattern: "one:///**" }, { paths: ["one:///a.md"] }],
    ["first_hello", {}, { said: "hello of first" }],
  ] as const) {
    const { stdout, stderr } = await ikigai("tool", tool, JSON.stringify(input));
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: wanted });
    expect(stderr).toContain("noise");
  }
});

test("what a plugin prints never mixes into the frames of MCP", { timeout: SLOW }, async () => {
  await configure({ use: "several#first", mount: "one" });
  const frames = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "file_read", arguments: { path: "one:///a.md" } } },
  ].map((frame) => JSON.stringify({ jsonrpc: "2.0", ...frame }));
  const env = { ...process.env, XDG_CONFIG_HOME: join(base, "config"), XDG_DATA_HOME: join(base, "data") };
  const lines: string[] = [];
  const child = execFile(process.execPath, [bin, "--root", root, "mcp"], { env });
  child.stdin?.write(`${frames.join("\n")}\n`);
  await new Promise<void>((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes('"id":2')) return;
      lines.push(...text.trim().split("\n"));
      resolve();
    });
    child.on("close", () => resolve());
  });
  child.kill();
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test.each([
  ["a/b", { module: "a/b" }],
  ["a/b#c", { module: "a/b", exportName: "c" }],
  ["./x.js#$d_1", { module: "./x.js", exportName: "$d_1" }],
  ["./dir#x/file.js", { module: "./dir#x/file.js" }],
  ["#inner", { module: "#inner" }],
  ["a#", { module: "a#" }],
])("the plugin %s is read as %j", (use, wanted) => {
  expect(readPluginName(use, tmpdir())).toEqual(wanted);
});

test.each([
  ['{ "file": {folder} }', 'not valid JSON: line 1, column 11: a value is expected, not "_"'],
  ['{\n  "file": "{folder}",\n}', "not valid JSON: line 3, column 1: a name in double quotes is expected"],
  ['["{folder}"]', "must be a JSON object"],
  ["{folder", "the same place for every case"],
])("the scratch options %s are refused: %s", (text, problem) => {
  expect(() => createScratch(text)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  expect(() => createScratch(text)).toThrow(problem);
});

test(
  "a scratch file that is not there, or does not fit the plugin, is told in our words",
  { timeout: SLOW },
  async () => {
    const example = fileURLToPath(new URL("../../../../examples/01-json-source/dist/json-source.js", import.meta.url));
    const entry = { use: example, mount: "notes", options: { file: join(base, "n.json") } };
    await writeFile(join(root, "ikigai.config.json"), JSON.stringify({ sources: [entry] }));
    await configure();
    await ikigai("trust", "--yes");
    const absent = await ikigai("plugin", "check", "notes", "--scratch", join(base, "none.json"));
    expect(absent.stderr).toContain("none.json is not there");
    expect(absent.stderr).not.toContain("ENOENT");
    await writeFile(join(base, "wrong.json"), '{ "fyle": "{folder}/x.json" }');
    const wrong = await ikigai("plugin", "check", "notes", "--scratch", join(base, "wrong.json"));
    expect(wrong.stderr).toContain("The scratch options do not fit the plugin: file");
    await rm(join(root, "ikigai.config.json"));
  },
);
