import { existsSync, readFileSync } from "node:fs";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { closeSharedStore, openWorkspace, type Ran } from "../testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

const at = (path: string): string => join(workspace.root, path);
const tool = (name: string, input: object, ...flags: string[]): Promise<Ran> =>
  workspace.run([...flags, "tool", name, JSON.stringify(input)]);

async function configure(config: object): Promise<void> {
  const folder = join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), JSON.stringify(config));
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true });
  await writeFile(at(path), text);
}

// The old resolver took the longest part that exists, so of thirteen absent ends of links twelve were written unasked.
const OBEYED = [
  ".npmrc",
  ".git/hooks/pre-commit",
  ".mcp.json",
  ".env",
  ".ssh/authorized_keys",
  ".vscode/tasks.json",
  ".husky/pre-commit",
  ".bashrc",
  ".envrc",
  "ikigai.config.json",
  ".github/workflows/a.yml",
  ".ikigai/plugins/a.js",
  ".config/fish/conf.d/a.fish",
];

/** Ways to a place that is not there, each made of links; gives the path to write to. */
const WAYS: Readonly<Record<string, (target: string) => Promise<string>>> = {
  async "a relative link"(target) {
    await symlink(target, at("a.md"));
    return "a.md";
  },
  async "an absolute link"(target) {
    await symlink(at(target), at("a.md"));
    return "a.md";
  },
  async "a chain of links"(target) {
    await mkdir(at("sub"));
    await symlink(`../${target}`, at("sub/c"));
    await symlink("sub/c", at("b"));
    await symlink("b", at("a.md"));
    return "a.md";
  },
  async "a link whose .. stand behind another link"(target) {
    await mkdir(at("deep/er"), { recursive: true });
    await symlink("deep/er", at("short"));
    await symlink(`short/../../${target}`, at("a.md"));
    return "a.md";
  },
};

describe.each(Object.keys(WAYS))("through %s that leads to nothing yet", (way) => {
  test("what other programs obey is not written unasked", async () => {
    for (const [index, target] of OBEYED.entries()) {
      if (index > 0) {
        await workspace.close();
        workspace = await openWorkspace();
      }
      await mkdir(dirname(at(target)), { recursive: true });
      const path = await (WAYS[way] as (target: string) => Promise<string>)(target);
      const ran = await tool("file_write", { path, content: "x" }, "--approve", "all");
      expect([target, ran.out]).toEqual([target, expect.stringContaining("permission_denied")]);
      expect([target, existsSync(at(target))]).toEqual([target, false]);
    }
  }, 120_000);

  test("what a rule leaves to a person is not written unasked", async () => {
    await configure({ rules: [{ glob: "theirs/**", permission: "human" }] });
    await mkdir(at("theirs"));
    const path = await (WAYS[way] as (target: string) => Promise<string>)("theirs/plan.md");
    const ran = await tool("file_write", { path, content: "x" }, "--approve", "all");
    expect(ran.out).toContain("permission_denied");
    expect(existsSync(at("theirs/plan.md"))).toBe(false);
  });
});

// An agent's ceiling and a grant were held against the requested path alone: five of five routes got round it.
describe("a read_only ceiling of an agent", () => {
  const ROUTES: readonly (readonly [string, string, object])[] = [
    ["a link to the file", "file_edit", { path: "link.md", old: "old", new: "new" }],
    ["a link to its folder", "file_edit", { path: "way/a.md", old: "old", new: "new" }],
    ["a chain of links", "file_edit", { path: "chain.md", old: "old", new: "new" }],
    ["a link to a file that is not there", "file_write", { path: "absent.md", content: "new" }],
    ["a new file in a linked folder", "file_write", { path: "way/new.md", content: "new" }],
    ["a removal through a linked folder", "file_delete", { path: "way/a.md" }],
    ["a new note through a linked folder", "create_note", { name: "way/n", content: "new" }],
    ["the file tool", "file", { op: "create", path: "way/new.md", content: "new" }],
    ["a redirection of a command", "bash", { command: "echo new > link.md" }],
  ];

  test.each(ROUTES)("is not got round by %s", async (_, name, input) => {
    await configure({
      agents: [{ name: "shy", permissions: [{ glob: "file:///locked/**", permission: "read_only" }] }],
    });
    await put("locked/a.md", "old\n");
    await symlink("locked/a.md", at("link.md"));
    await symlink("locked", at("way"));
    await symlink("link.md", at("chain.md"));
    await symlink("locked/absent.md", at("absent.md"));
    const ran = await tool(name, input, "--agent", "shy", "--approve", "all");
    expect(ran.out).toMatch(/permission_denied|read_only/);
    expect(readFileSync(at("locked/a.md"), "utf8")).toBe("old\n");
    for (const path of ["locked/absent.md", "locked/n.md", "locked/new.md"]) expect(existsSync(at(path))).toBe(false);
  });

  test("lets the agent write through links elsewhere as before", async () => {
    await configure({
      agents: [{ name: "shy", permissions: [{ glob: "file:///locked/**", permission: "read_only" }] }],
    });
    await put("free/a.md", "old\n");
    await symlink("free", at("way"));
    const ran = await tool("file_write", { path: "way/b.md", content: "new" }, "--agent", "shy", "--approve", "edits");
    expect(ran.code).toBe(0);
    expect(readFileSync(at("free/b.md"), "utf8")).toBe("new");
  });
});

async function keepGrants(...grants: readonly object[]): Promise<void> {
  const kept = grants.map((grant, index) => ({
    id: `g${index}`,
    names_target: true,
    duration: "user",
    created_at: "2026-01-01T00:00:00.000Z",
    ...grant,
  }));
  await writeFile(join(workspace.store, "permissions.json"), JSON.stringify({ grants: kept }));
}

describe("a grant", () => {
  afterEach(() => keepGrants());

  test("covers a path only when it covers the place where its links end", async () => {
    await keepGrants({ actions: ["update", "create"], pattern: "file:///open/**", kind: "address" });
    await put("open/x.md", "old");
    await put("other/y.md", "old");
    await symlink("../other/y.md", at("open/y.md"));
    await symlink("../other/absent.md", at("open/z.md"));
    expect((await tool("file_edit", { path: "open/x.md", old: "old", new: "new" })).code).toBe(0);
    const linked = await tool("file_edit", { path: "open/y.md", old: "old", new: "new" });
    expect(linked.out).toContain("permission_denied");
    expect((await tool("file_write", { path: "open/z.md", content: "new" })).out).toContain("permission_denied");
    expect(readFileSync(at("other/y.md"), "utf8")).toBe("old");
  });

  test.each([
    ["cat out", "a link to a file outside"],
    ["cat way/passwd", "a linked folder outside"],
    ["cat in/../../../../../../../../etc/passwd", "dots behind a link"],
    ["grep -R root .", "a search that follows links"],
    ["grep -nR root .", "a search that follows links, in a cluster of options"],
    ["wc --files0-from=names", "names that a file lists"],
    ["diff -r way in", "a comparison that follows links"],
  ])("for programs that look does not cover %s: %s", async (command) => {
    const rules = ["cat", "grep", "wc", "diff"].map((pattern) => ({ actions: ["execute"], pattern, kind: "command" }));
    await keepGrants(...rules);
    await put("a/b/c/d.txt", "text");
    await put("names", "/etc/passwd\0");
    await symlink("/etc/passwd", at("out"));
    await symlink("/etc", at("way"));
    await symlink("a/b/c", at("in"));
    expect((await tool("bash", { command })).out).toContain("permission_denied");
    expect((await tool("bash", { command: "cat in/d.txt" })).out).toContain("text");
  });
});

describe("a file with several names", () => {
  test("is as protected as the strictest of its names", async () => {
    await put(".git/config", "[core]\n");
    await link(at(".git/config"), at("plain.txt"));
    const ran = await tool("file_edit", { path: "plain.txt", old: "core", new: "x" }, "--approve", "all");
    expect(ran.out).toContain("permission_denied");
    expect(ran.out).toContain(".git is always asked for");
    const bash = await workspace.run([
      "--approve",
      "all",
      "permission",
      "explain",
      "bash",
      '{"command":"echo x > plain.txt"}',
    ]);
    expect(bash.out).toMatch(/^ASK/);
    expect(readFileSync(at(".git/config"), "utf8")).toBe("[core]\n");
  });

  test("needs a person when a name of it lies where nobody looks", async () => {
    await put("a.txt", "old");
    await link(at("a.txt"), join(dirname(workspace.root), "elsewhere.txt"));
    const ran = await tool("file_edit", { path: "a.txt", old: "old", new: "new" }, "--approve", "all");
    expect(ran.out).toContain("2 names on its disk");
    expect(readFileSync(at("a.txt"), "utf8")).toBe("old");
  });

  test("is edited unasked when all its names are ordinary", async () => {
    await put("a.txt", "old");
    await put("sub/x", "");
    await link(at("a.txt"), at("sub/b.txt"));
    expect((await tool("file_edit", { path: "a.txt", old: "old", new: "new" }, "--approve", "edits")).code).toBe(0);
    expect(readFileSync(at("sub/b.txt"), "utf8")).toBe("new");
  });
});
