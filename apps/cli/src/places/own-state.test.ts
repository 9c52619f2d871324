import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopKeeper } from "@ikigai/database";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ran, runMain } from "../testing/open-workspace.ts";

const SECRET = "sk-do-not-read-4711";
let home: string;
let store: string;
let config: string;

/** A home folder as the workspace, with the store and the configuration inside it. */
beforeEach(async () => {
  home = realpathSync(await mkdtemp(join(tmpdir(), "ikigai-home-")));
  store = join(home, "data", "ikigai");
  config = join(home, "settings", "ikigai");
  process.env["XDG_CONFIG_HOME"] = join(home, "settings");
  await mkdir(store, { recursive: true });
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "credentials.json"), JSON.stringify({ openai: SECRET }), { mode: 0o600 });
  await writeFile(join(config, "ikigai.config.json"), "{}");
  await writeFile(join(store, "trust.json"), JSON.stringify({ folders: [] }));
  await writeFile(join(home, "note.md"), "an ordinary note about keys\n");
});
afterEach(async () => {
  await stopKeeper(join(store, "postgres"));
  await rm(home, { recursive: true, force: true });
});

const run = (args: readonly string[]): Promise<Ran> => runMain(["--root", home, "--store", store, ...args]);
const tool = (name: string, input: object, ...flags: string[]): Promise<Ran> =>
  run([...flags, "tool", name, JSON.stringify(input)]);

// A model in mode `edits` wrote permissions.json and so granted itself bash, because the workspace held our own state.
test.each(["permissions.json", "trust.json", "mcp-tools.json", "journal.jsonl", "new/file.txt", "outputs/a.txt"])(
  "no tool writes %s of the store that lies in the workspace, in no mode and by no way",
  async (name) => {
    await symlink("data/ikigai", join(home, "way"));
    await symlink(`data/ikigai/${name}`, join(home, "link"));
    const before = existsSync(join(store, name)) ? readFileSync(join(store, name), "utf8") : undefined;
    for (const path of [`data/ikigai/${name}`, `way/${name}`, "link", join(store, name)]) {
      for (const [called, input] of [
        ["file_write", { path, content: "{}" }],
        ["file", { op: "create", path, content: "{}" }],
      ] as const) {
        const ran = await tool(called, input, "--approve", "all");
        expect([path, called, ran.code]).toEqual([path, called, 1]);
      }
    }
    expect(existsSync(join(store, name)) ? readFileSync(join(store, name), "utf8") : undefined).toBe(before);
  },
);

describe("keys are read by no tool", () => {
  test.each<[string, object]>([
    ["file_read", { path: "settings/ikigai/credentials.json" }],
    ["file_read", { path: "link.md" }],
    ["file_read", { path: "way/credentials.json" }],
    ["file_read", { path: "hard.md" }],
    ["file", { op: "load", path: "settings/ikigai/credentials.json" }],
    ["block", { op: "load", path: "settings/ikigai/credentials.json" }],
    ["grep", { pattern: "sk-do-not", path: "." }],
    ["grep", { pattern: "sk-do-not", path: "settings/ikigai/credentials.json" }],
    ["grep", { pattern: "sk-do-not", path: "way" }],
    ["grep", { pattern: "sk-do-not", glob: "settings/**/*.json" }],
    ["grep", { pattern: "sk-do-not", path: "hard.md" }],
    ["read_note", { note: "link" }],
    ["search_notes", { query: "sk-do-not" }],
    ["bash", { command: "cat settings/ikigai/credentials.json" }],
    ["bash", { command: "cat link.md" }],
    ["bash", { command: "cat hard.md" }],
    ["bash", { command: "grep -r sk-do-not ." }],
    ["bash", { command: "rg --hidden sk-do-not" }],
    ["bash", { command: "cat file:///settings/ikigai/credentials.json" }],
    ["file_copy", { from: "settings/ikigai/credentials.json", to: "copy.md" }],
    ["file_move", { from: "settings/ikigai/credentials.json", to: "copy.md" }],
  ])(
    "not by %s %j",
    async (name, input) => {
      await symlink("settings/ikigai/credentials.json", join(home, "link.md"));
      await symlink("settings/ikigai", join(home, "way"));
      await link(join(config, "credentials.json"), join(home, "hard.md"));
      const rules = ["cat", "grep", "rg"].map((pattern, index) => ({
        id: `g${index}`,
        actions: ["execute"],
        pattern,
        kind: "command",
        names_target: true,
        duration: "user",
        created_at: "2026-01-01T00:00:00.000Z",
      }));
      await writeFile(join(store, "permissions.json"), JSON.stringify({ grants: rules }));
      const ran = await tool(name, input, "--approve", "all");
      expect(ran.out + ran.err).not.toContain(SECRET);
      expect(existsSync(join(home, "copy.md"))).toBe(false);
    },
    120_000,
  );

  test("and a search beside them finds what is ordinary", async () => {
    const ran = await tool("grep", { pattern: "ordinary" });
    expect(ran.out).toContain("note.md");
    expect((await tool("glob", { pattern: "**" })).out).not.toContain("credentials");
  });
});

test("the user's configuration in the workspace needs a person to be read or changed", async () => {
  for (const [name, input] of [
    ["file_read", { path: "settings/ikigai/ikigai.config.json" }],
    ["file_write", { path: "settings/ikigai/ikigai.config.json", content: "{}" }],
    ["file_write", { path: "settings/ikigai/plugin.js", content: "" }],
  ] as const) {
    const ran = await tool(name, input, "--approve", "all");
    expect(ran.out).toMatch(/ikigai's own|of ikigai's own/);
  }
  const asked = await runMain(
    ["--root", home, "--store", store, "tool", "file_read", '{"path":"settings/ikigai/ikigai.config.json"}'],
    { answers: ["y"] },
  );
  expect(asked.code).toBe(0);
});

test("a folder of our own that is mounted a second time is still our own", async ({ skip }) => {
  const second = join(home, "second");
  await mkdir(second);
  const mounted = spawnSync("mount", ["--bind", config, second]);
  if (mounted.status !== 0) skip("mounting needs rights that are not here");
  try {
    const read = await tool("file_read", { path: "second/credentials.json" });
    expect(read.out + read.err).not.toContain(SECRET);
    expect((await tool("grep", { pattern: "sk-do-not" })).out).not.toContain(SECRET);
    const written = await tool("file_write", { path: "second/plugin.js", content: "" }, "--approve", "all");
    expect(written.code).toBe(1);
  } finally {
    spawnSync("umount", [second]);
  }
});
