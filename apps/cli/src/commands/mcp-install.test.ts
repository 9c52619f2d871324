import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";

const ikigai = fileURLToPath(new URL("../../bin/ikigai.js", import.meta.url));
let workspace: Awaited<ReturnType<typeof openWorkspace>>;
const { HOME } = process.env;

beforeEach(async () => {
  workspace = await openWorkspace();
  process.env["HOME"] = workspace.root;
});
afterEach(async () => {
  process.env["HOME"] = HOME;
  await workspace.close();
});
afterAll(closeSharedStore);

test("mcp install writes the server's options into the entry", async () => {
  const { root, run } = workspace;
  const flags = ["--tools", "files,recall", "--approve", "all", "--agent", "ben", "--mount-host"];
  expect((await run(["mcp", "install", "cursor", "--yes", ...flags])).code).toBe(0);
  const written = JSON.parse(await readFile(join(root, ".cursor/mcp.json"), "utf8")) as {
    mcpServers: { ikigai: { args: string[] } };
  };
  const { args } = written.mcpServers.ikigai;
  expect(args.slice(1, 4)).toEqual(["mcp", "--root", root]);
  expect(args.slice(6)).toEqual(["--agent", "ben", "--approve", "all", "--tools", "files,recall", "--mount-host"]);
  expect(await run(["mcp", "install", "cursor", "--yes", "--http"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("Leave --http and --port out"),
  });
});

/** What `mcp install` of the built program, run in the workspace, wrote to one of its files. */
async function installed(client: string, file: string, flags: string[] = [], env: object = {}): Promise<string> {
  const { root, store } = workspace;
  const args = [ikigai, "--store", store, "mcp", "install", client, "--yes", ...flags];
  const { XDG_CONFIG_HOME: _, ...others } = process.env;
  await promisify(execFile)(process.execPath, args, { cwd: root, env: { ...others, HOME: root, ...env } });
  return readFile(join(root, file), "utf8");
}

test("an entry for all projects names no folder, but for a client that has none of its own", async () => {
  expect(await installed("codex", ".codex/config.toml")).not.toContain('root"');
  expect(await installed("claude-code", ".claude.json")).not.toContain('root"');
  const file = "home/.config/Claude/claude_desktop_config.json";
  const desktop = await installed("claude-desktop", file, [], { HOME: join(workspace.root, "home") });
  expect(desktop).toContain("--default-root");
  const chosen = await installed("gemini", ".gemini/settings.json", ["--default-root", workspace.root]);
  expect(chosen).toContain("--default-root");
});

test("in the home folder no entry names it as the workspace, and --project is refused in words", async () => {
  const desktop = await installed("claude-desktop", ".config/Claude/claude_desktop_config.json");
  expect(desktop).toContain('"mcp"');
  expect(desktop).not.toContain("--default-root");
  await expect(installed("cursor", ".cursor/mcp.json", ["--project"])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/There is no project to write to: .* is your home folder/),
  });
});

test("the folder that CODEX_HOME or CLAUDE_CONFIG_DIR names is written to", async () => {
  const moved = join(workspace.root, "moved");
  expect(await installed("codex", "moved/config.toml", [], { CODEX_HOME: moved })).toContain("[mcp_servers.ikigai]");
  expect(await installed("claude-code", "moved/.claude.json", [], { CLAUDE_CONFIG_DIR: moved })).toContain("ikigai");
});

test("--project writes the project's own file, and uninstall takes it out of there", async () => {
  const text = await installed("opencode", "opencode.json", ["--project"], { HOME: join(workspace.root, "home") });
  expect(JSON.parse(text)).toMatchObject({ mcp: { ikigai: { type: "local" } } });
  expect(text).not.toContain('root"');
  const { code, out } = await workspace.run(["mcp", "uninstall", "opencode", "--project", "--yes"]);
  expect([code, out]).toEqual([0, expect.stringContaining("opencode.json was written")]);
  expect(JSON.parse(await readFile(join(workspace.root, "opencode.json"), "utf8"))).toEqual({ mcp: {} });
  expect(await workspace.run(["mcp", "install", "claude-desktop", "--project", "--yes"])).toMatchObject({
    err: expect.stringContaining("no configuration of its own for a project"),
  });
});

test("--project names the program by its name where the PATH leads to it, so that the file can be shared", async () => {
  const bin = join(workspace.root, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "ikigai"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { HOME: join(workspace.root, "home"), PATH: bin };
  const text = await installed("cursor", ".cursor/mcp.json", ["--project"], env);
  const args = ["mcp", "--store", workspace.store];
  expect(JSON.parse(text)).toMatchObject({ mcpServers: { ikigai: { command: "ikigai", args } } });
  expect(text).not.toContain(workspace.root);
  const nowhere = await installed("cursor", ".cursor/mcp.json", ["--project"], { ...env, PATH: workspace.root });
  expect(JSON.parse(nowhere)).toMatchObject({ mcpServers: { ikigai: { command: process.execPath } } });
});

test("mcp install shows all of a long change before it is agreed to", async () => {
  const file = join(workspace.root, ".cursor/mcp.json");
  await mkdir(join(workspace.root, ".cursor"));
  const others = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`server-${at}`, { command: "x" }]));
  // Written on one line, so that every line of it changes.
  await writeFile(file, JSON.stringify({ mcpServers: others }));
  const { err } = await workspace.run(["mcp", "install", "cursor", "--project"], { answers: ["d", "n"] });
  expect(err).toContain("more lines");
  const unbroken = err.replaceAll("\n  ┊ ", "");
  for (const name of Object.keys(others)) expect(unbroken).toContain(`"${name}"`);
  expect(await readFile(file, "utf8")).toBe(JSON.stringify({ mcpServers: others }));
});

test("a broken file is named", async () => {
  const file = join(workspace.root, ".cursor/mcp.json");
  await mkdir(join(workspace.root, ".cursor"));
  await writeFile(file, "{ broken");
  const { code, err } = await workspace.run(["mcp", "install", "cursor", "--yes"]);
  expect([code, err]).toEqual([2, expect.stringContaining(file)]);
});

test("a server that was told of tools which are not there does not start", async () => {
  const { code, err } = await workspace.run(["mcp", "--tools", "nope,recal"]);
  expect(code).toBe(2);
  expect(err).toContain('"nope", "recal" name neither a toolset nor a tool');
  expect(err).toMatch(/Toolsets are: default, files.*Tools are: .*file_read/);
});
