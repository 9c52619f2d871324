import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clientConfigPath, type ClientName } from "./clients.ts";
import { installClient, uninstallClient } from "./install-client.ts";

let home: string;
const entry = { command: "ikigai", args: ["mcp"] };

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "ikigai-clients-"));
});
afterEach(() => rm(home, { recursive: true }));

test("a plan changes nothing until it is applied", async () => {
  const plan = await installClient("cursor", entry, { home });
  expect(plan).toMatchObject({ before: undefined, changed: true, path: path.join(home, ".cursor", "mcp.json") });
  expect(await readdir(home)).toEqual([]);
  await plan.apply();
  expect(await readFile(plan.path, "utf8")).toBe(plan.after);
  expect(await readdir(path.dirname(plan.path))).toEqual(["mcp.json"]);
  const again = await installClient("cursor", entry, { home });
  expect(again.changed).toBe(false);
  await again.apply();
  const removal = await uninstallClient("cursor", { home });
  await removal.apply();
  expect(JSON.parse(await readFile(plan.path, "utf8"))).toEqual({ mcpServers: {} });
});

test("a file that changed after it was read is left alone", async () => {
  const file = path.join(home, ".claude.json");
  await writeFile(file, "{}");
  const plan = await installClient("claude-code", entry, { home });
  await writeFile(file, '{ "mine": 1 }');
  await expect(plan.apply()).rejects.toMatchObject({ code: "conflict" });
  expect(await readFile(file, "utf8")).toBe('{ "mine": 1 }');
  expect(await readdir(home)).toEqual([".claude.json"]);
});

test("mode and link of a file stay", async () => {
  const real = path.join(home, "dotfiles.toml");
  await writeFile(real, "# mine\n");
  await chmod(real, 0o640);
  await mkdir(path.join(home, ".codex"));
  await symlink(real, path.join(home, ".codex", "config.toml"));
  await (await installClient("codex", entry, { home })).apply();
  expect((await lstat(path.join(home, ".codex", "config.toml"))).isSymbolicLink()).toBe(true);
  expect((await stat(real)).mode & 0o777).toBe(0o640);
  expect(await readFile(real, "utf8")).toContain("# mine\n\n[mcp_servers.ikigai]");
});

test("a client configuration that cannot be read is an error, not an empty file", async () => {
  await mkdir(path.join(home, ".claude.json"));
  await expect(installClient("claude-code", entry, { home })).rejects.toMatchObject({ code: "unavailable" });
});

test("a broken file is named and left as it is", async () => {
  const file = path.join(home, ".claude.json");
  await writeFile(file, "{ broken");
  const refusal = { code: "invalid_input", message: expect.stringContaining(`${file}: The configuration`) };
  await expect(installClient("claude-code", entry, { home })).rejects.toMatchObject(refusal);
  await mkdir(path.join(home, ".codex"));
  await writeFile(path.join(home, ".codex", "config.toml"), "= 1");
  await expect(installClient("codex", entry, { home })).rejects.toThrow(path.join(".codex", "config.toml"));
  expect(await readFile(file, "utf8")).toBe("{ broken");
});

test("each client's file is where the client looks for it", () => {
  const at = (client: ClientName, platform: NodeJS.Platform, project?: string): string =>
    clientConfigPath(client, { home: "/h", platform, ...(project !== undefined && { project }) });
  expect(at("claude-desktop", "linux")).toBe("/h/.config/Claude/claude_desktop_config.json");
  expect(at("claude-desktop", "darwin")).toBe("/h/Library/Application Support/Claude/claude_desktop_config.json");
  expect(at("vscode", "win32")).toBe("/h/AppData/Roaming/Code/User/mcp.json");
  expect(at("zed", "darwin")).toBe("/h/.config/zed/settings.json");
  expect(at("zed", "win32")).toBe("/h/AppData/Roaming/Zed/settings.json");
  expect(at("claude-code", "linux", "/p")).toBe("/p/.mcp.json");
  expect(clientConfigPath("codex", { home: "/h" })).toBe("/h/.codex/config.toml");
  expect(() => at("claude-desktop", "linux", "/p")).toThrow("no configuration of its own");
  expect(() => at("emacs" as ClientName, "linux")).toThrow("emacs");
});

test("variables that move a client's folder are honoured, and empty ones are none", () => {
  const at = (client: ClientName, env: Record<string, string>): string => clientConfigPath(client, { home: "/h", env });
  expect(at("codex", { CODEX_HOME: "/c" })).toBe("/c/config.toml");
  expect(at("codex", { CODEX_HOME: "" })).toBe("/h/.codex/config.toml");
  expect(at("claude-code", { CLAUDE_CONFIG_DIR: "/c" })).toBe("/c/.claude.json");
  expect(at("gemini", { GEMINI_CLI_HOME: "/g" })).toBe("/g/.gemini/settings.json");
  expect(at("gemini", {})).toBe("/h/.gemini/settings.json");
  expect(at("opencode", {})).toBe("/h/.config/opencode/opencode.json");
  expect(at("opencode", { XDG_CONFIG_HOME: "/x" })).toBe("/x/opencode/opencode.json");
  expect(at("opencode", { XDG_CONFIG_HOME: "/x", OPENCODE_CONFIG_DIR: "/o" })).toBe("/o/opencode.json");
});

test("on Linux the folder that XDG_CONFIG_HOME names holds the files of every client that follows it", () => {
  const at = (client: ClientName, platform: NodeJS.Platform, folder: string): string =>
    clientConfigPath(client, { home: "/h", platform, env: { XDG_CONFIG_HOME: folder } });
  expect(at("claude-desktop", "linux", "/x")).toBe("/x/Claude/claude_desktop_config.json");
  expect(at("vscode", "linux", "/x")).toBe("/x/Code/User/mcp.json");
  expect(at("zed", "linux", "/x")).toBe("/x/zed/settings.json");
  expect(at("zed", "linux", "relative")).toBe("/h/.config/zed/settings.json");
  expect(at("zed", "darwin", "/x")).toBe("/h/.config/zed/settings.json");
  expect(at("vscode", "darwin", "/x")).toBe("/h/Library/Application Support/Code/User/mcp.json");
});

test("a relative CODEX_HOME is taken from the current folder", () => {
  expect(clientConfigPath("codex", { home: "/h", env: { CODEX_HOME: "mine" } })).toBe(path.resolve("mine/config.toml"));
});

test.each([
  ["cursor", "env"],
  ["codex", "env"],
  ["opencode", "environment"],
] as const)("a second install for %s keeps what its user added to the entry", async (client, variables) => {
  await (await installClient(client, { command: "old", args: ["mcp"] }, { home })).apply();
  const file = clientConfigPath(client, { home });
  const text = await readFile(file, "utf8");
  const own =
    client === "codex"
      ? `${text}startup_timeout_sec = 20\n\n[mcp_servers.ikigai.env]\nMINE = "1"\n`
      : text.replace('"ikigai": {', `"ikigai": { "timeout": 20, "${variables}": { "MINE": "1" },`);
  await writeFile(file, own);
  await (await installClient(client, entry, { home })).apply();
  const after = await readFile(file, "utf8");
  expect(after).toMatch(/timeout(_sec)?"?[ :=]+20/);
  expect(after).toMatch(/MINE"?[ :=]+"1"/);
  expect(after).toContain('"ikigai"');
  expect(after).not.toContain("old");
  expect((await installClient(client, entry, { home })).changed).toBe(false);
});

test("every client that knows projects has its project's file", () => {
  const at = (client: ClientName): string => clientConfigPath(client, { home: "/h", project: "/p" });
  expect(["codex", "gemini", "opencode", "cursor", "vscode", "zed"].map((client) => at(client as ClientName))).toEqual([
    "/p/.codex/config.toml",
    "/p/.gemini/settings.json",
    "/p/opencode.json",
    "/p/.cursor/mcp.json",
    "/p/.vscode/mcp.json",
    "/p/.zed/settings.json",
  ]);
});

test("an opencode.jsonc that its user keeps is written, and no second file beside it", async () => {
  const folder = path.join(home, ".config", "opencode");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "opencode.jsonc"), "{ /* mine */ }");
  await (await installClient("opencode", entry, { home })).apply();
  expect(await readdir(folder)).toEqual(["opencode.jsonc"]);
  expect(await readFile(path.join(folder, "opencode.jsonc"), "utf8")).toContain("/* mine */");
});
