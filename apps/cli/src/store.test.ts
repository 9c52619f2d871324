import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readAuditFile } from "@ikigai/memory";
import { openTerminalHost } from "./terminal/terminal-host.ts";
import { resolveSettings } from "./settings.ts";
import { createTerminal } from "./terminal/terminal.ts";
import { closeSharedStore, openWorkspace, type Ran, runMain } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
let agent: string;
let count = 0;

beforeEach(async () => {
  workspace = await openWorkspace();
  agent = `agent-${++count}`; // Each test has a memory of its own in the store that all share.
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

const ikigai = (...args: string[]): Promise<Ran> => workspace.run(["--agent", agent, "--approve", "edits", ...args]);
async function call(name: string, input: object): Promise<Record<string, unknown>> {
  const { out } = await ikigai("tool", name, JSON.stringify(input));
  return JSON.parse(out) as Record<string, unknown>;
}

async function approved(name: string, input: object): Promise<Record<string, unknown>> {
  const { out } = await workspace.run(["--agent", agent, "--approve", "all", "tool", name, JSON.stringify(input)]);
  return JSON.parse(out) as Record<string, unknown>;
}

test("an asset is read, written and edited like a file, and outlives the process", async () => {
  const path = "ikigai:///blocks/a.md";
  expect(await call("file_write", { path, content: "one two" })).toMatchObject({ success: true });
  expect(await call("file_edit", { path, old: "two", new: "three" })).toMatchObject({ data: { replacements: 1 } });
  expect(await call("file_read", { path: "IKIGAI:///blocks//a.md" })).toMatchObject({ data: { content: "one three" } });
  expect(await call("file_write", { path, content: "blind" })).toMatchObject({ success: false, code: "conflict" });
});

test("assets of one agent are not seen by another", async () => {
  await call("file_write", { path: "ikigai:///secret.md", content: "mine" });
  agent = `${agent}-other`;
  expect(await call("file_read", { path: "ikigai:///secret.md" })).toMatchObject({ success: false, code: "not_found" });
});

describe("history, diff and undo", () => {
  test.each(["ikigai:///blocks/h.md", "notes/h.md"])("are the same for %s", async (path) => {
    await call("file_write", { path, content: "first\n" });
    await call("file_edit", { path, old: "first", new: "second" });
    expect((await ikigai("history", path)).out).toMatch(/file_edit {2}changed[\s\S]*file_write {2}created/);
    expect((await ikigai("diff", path)).out).toContain("-first\n+second");
    expect((await ikigai("undo", path)).out).toContain("Took back");
    expect(await call("file_read", { path })).toMatchObject({ data: { content: "first\n" } });
    await ikigai("undo", path);
    expect(await call("file_read", { path })).toMatchObject({ code: "not_found" });
  });

  test.each([
    ["0600", 0o600],
    ["0755", 0o755],
  ])("a move within the workspace and its undo keep the mode %s of a file", async (_, mode) => {
    const [from, to] = [join(workspace.root, "key.txt"), join(workspace.root, "kept/key.txt")];
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    await writeFile(from, "secret\n");
    await chmod(from, mode);
    expect(await approved("file_move", { from: "key.txt", to: "kept/key.txt" })).toMatchObject({ success: true });
    expect(await modeOf(to)).toBe(mode);
    expect((await workspace.run(["--agent", agent, "--approve", "all", "undo", "key.txt"])).out).toContain("Took back");
    expect(await modeOf(from)).toBe(mode);
    await expect(stat(to)).rejects.toThrow("ENOENT");
  });

  test("a renamed note keeps its mode, also when it links to itself", async () => {
    await writeFile(join(workspace.root, "Diary.md"), "See [[Diary]].\n");
    await chmod(join(workspace.root, "Diary.md"), 0o600);
    expect(await approved("rename_note", { name: "Diary", new_name: "Journal" })).toMatchObject({ success: true });
    expect((await stat(join(workspace.root, "Journal.md"))).mode & 0o777).toBe(0o600);
    expect((await workspace.run(["--agent", agent, "--approve", "all", "undo", "Journal.md"])).out).toContain(
      "Took back",
    );
    expect((await stat(join(workspace.root, "Diary.md"))).mode & 0o777).toBe(0o600);
  });

  test("undo refuses when a person changed the file meanwhile", async () => {
    await call("file_write", { path: "a.txt", content: "agent" });
    await writeFile(join(workspace.root, "a.txt"), "person");
    const refused = await ikigai("undo", "a.txt");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("was changed after");
    expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe("person");
  });
});

test("undo without an address says what can be taken back here, newest first, and takes nothing back", async () => {
  const alone = await openWorkspace({ ownStore: true });
  try {
    const write = (path: string, content: string): Promise<unknown> =>
      alone.run(["--approve", "all", "tool", "file_write", JSON.stringify({ path, content })]);
    expect((await alone.run(["undo"])).out).toBe("Nothing was changed here that can be taken back.");
    await write("a.txt", "one");
    await write("ikigai:///blocks/b.md", "one");
    const listed = await alone.run(["undo"]);
    expect(listed.code).toBe(0);
    expect(listed.out.split("\n").slice(1)).toEqual([
      expect.stringMatching(/^ikigai undo ikigai:\/\/\/blocks\/b\.md {3}created .* by default with file_write$/),
      expect.stringMatching(/^ikigai undo file:\/\/\/a\.txt {3}created /),
    ]);
    expect(await readFile(join(alone.root, "a.txt"), "utf8")).toBe("one");
    await alone.run(["undo", "ikigai:///blocks/b.md"]);
    expect((await alone.run(["undo"])).out).not.toContain("b.md");
    expect((await alone.run(["undo", "a.txt"])).code).toBe(0);
    expect((await alone.run(["undo"])).out).toBe("Nothing was changed here that can be taken back.");
  } finally {
    await alone.close();
  }
});

test("the budget is enforced, says what would free it, and unpinning helps", async () => {
  const words = (number: number): string => "word ".repeat(number);
  await call("file_write", { path: "ikigai:///blocks/big.md", content: words(600) });
  await ikigai("budget", "1000");
  expect((await ikigai("pin", "big")).out).toContain("of 1000 tokens are pinned");
  const refused = await call("file_write", { path: "ikigai:///blocks/more.md", content: words(500) });
  expect(refused).toMatchObject({
    success: false,
    code: "over_budget",
    error: expect.stringMatching(
      /^Block budget exceeded: \d+\/1000 tokens\. This write would use \d+ tokens\. Use \/unpin to free space\./,
    ),
  });
  expect(refused["error"]).toContain("ikigai:///blocks/big.md");
  await ikigai("unpin", "blocks/big");
  expect(await call("file_write", { path: "ikigai:///blocks/more.md", content: words(500) })).toMatchObject({
    success: true,
  });
  expect(await call("slash_command", { command: "/pinned" })).toMatchObject({
    data: { output: "0 of 1000 tokens are pinned." },
  });
});

test("a file is loaded, edited and saved by separate commands, and a person's edit is a conflict", async () => {
  await writeFile(join(workspace.root, "main.c"), "int main() {}\n");
  const loaded = await call("file", { op: "load", path: "main.c" });
  const { label } = loaded["data"] as { label: string };
  expect(label).toMatch(/^file:[0-9a-f]{8}:main\.c$/);
  await call("block_edit", { op: "replace", label, old: "{}", new: "{ return 0; }" });
  expect(await call("file", { op: "diff", path: "main.c" })).toMatchObject({ success: true });
  await writeFile(join(workspace.root, "main.c"), "int main(void) {}\n");
  expect(await call("file", { op: "save", path: "main.c" })).toMatchObject({
    success: false,
    code: "conflict",
    error: expect.stringContaining("file modified externally, use `file load` to refresh"),
  });
  expect(await readFile(join(workspace.root, "main.c"), "utf8")).toBe("int main(void) {}\n");
});

test("commands of the shell: assets, remember, forget, blocks", async () => {
  await ikigai("remember", "Tests", "run", "with npm");
  await ikigai("remember", `the user's "dog"  is \\Rex`);
  await ikigai("remember", '"quoted"');
  expect(await call("file_read", { path: "ikigai:///blocks/remembered.md" })).toMatchObject({
    data: { content: `# Remembered\n- Tests run with npm\n- the user's "dog"  is \\Rex\n- "quoted"\n` },
  });
  expect((await ikigai("assets", "list")).out).toContain("ikigai:///blocks/remembered.md");
  expect((await ikigai("forget", "remembered")).out).toContain("archived");
  expect((await ikigai("assets", "list")).out).toBe("There are no assets.");
  expect(await call("file_read", { path: "ikigai:///blocks/remembered.md" })).toMatchObject({ success: true });
  expect((await ikigai("blocks")).code).toBe(0);
  expect((await ikigai("pin")).code).toBe(2);
  expect((await ikigai("pinned", "--json")).out).toContain('"success":true');
});

test("forgetting is a change like others: history shows it and undo takes it back, pin included", async () => {
  await call("file_write", { path: "ikigai:///blocks/f.md", content: "kept" });
  await ikigai("pin", "f");
  await ikigai("forget", "f");
  expect((await ikigai("history", "ikigai:///blocks/f.md")).out).toMatch(
    /archived, unpinned {2}forget\n.*pinned\n.*created/,
  );
  expect((await ikigai("undo", "ikigai:///blocks/f.md")).out).toContain("Took back");
  expect((await ikigai("pinned")).out).toContain("ikigai:///blocks/f.md");
  await ikigai("forget", "f");
  await call("file_write", { path: "ikigai:///blocks/big.md", content: "words ".repeat(600) });
  await ikigai("budget", "700");
  await ikigai("pin", "big");
  await ikigai("budget", "601");
  const refused = await ikigai("undo", "ikigai:///blocks/f.md");
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("Block budget exceeded") });
  expect((await ikigai("assets", "list")).out).not.toContain("f.md");
  await ikigai("unpin", "big");
  expect((await ikigai("undo", "ikigai:///blocks/f.md")).code).toBe(0);
  await ikigai("assets", "edit", "f", "--description", "Worth it");
  await workspace.run(["--agent", agent, "assets", "delete", "f"]);
  await ikigai("undo", "ikigai:///blocks/f.md");
  expect((await ikigai("assets", "list", "blocks/f")).out).toContain("Worth it");
  expect((await ikigai("pinned")).out).toContain("ikigai:///blocks/f.md");
});

test("an asset is edited by options, by standard input and in an editor", async () => {
  await call("file_write", { path: "ikigai:///blocks/e.md", content: "one\n" });
  const text = '- "two" \\n\n';
  expect((await workspace.run(["--agent", agent, "assets", "edit", "e", "--text", "-"], { input: text })).code).toBe(0);
  expect(await call("file_read", { path: "ikigai:///blocks/e.md" })).toMatchObject({ data: { content: text } });
  vi.stubEnv("VISUAL", "sed -i s/two/three/");
  const edited = await workspace.run(["--agent", agent, "assets", "edit", "e"], { answers: [] });
  expect(edited.out).toContain("Edited ikigai:///blocks/e.md (text)");
  expect(await call("file_read", { path: "ikigai:///blocks/e.md" })).toMatchObject({
    data: { content: text.replace("two", "three") },
  });
  expect((await workspace.run(["--agent", agent, "assets", "edit", "e"], { answers: [] })).out).toContain(
    "left as it is",
  );
  vi.unstubAllEnvs();
  expect((await ikigai("assets", "edit", "e", "--read-only", "yes")).code).toBe(0);
  expect((await ikigai("assets", "edit", "e", "--text", "x")).err).toContain("read-only");
  const asModel = await call("slash_command", { command: "/assets edit e --read-only no" });
  expect(asModel).toMatchObject({ success: false, code: "permission_denied" });
});

test("history goes as far back as the user wants, and a dry run only counts", { timeout: 90_000 }, async () => {
  const own = await openWorkspace({ ownStore: true });
  const run = (...args: string[]): Promise<Ran> => own.run(["--approve", "edits", ...args]);
  try {
    const nothing = { code: 0, out: expect.stringContaining("There is no store") };
    expect(await run("store", "status")).toMatchObject(nothing);
    expect((await run("store", "status", "--json")).out).toContain('"exists":false');
    for (const command of ["export", "prune"]) expect((await run("store", command)).err).toContain("There is no store");
    await expect(stat(join(own.store, "postgres"))).rejects.toThrow("ENOENT");
    for (const content of ["1", "2", "3"]) {
      await run("tool", "file_write", JSON.stringify({ path: "a.txt", content }), "--force");
    }
    expect(await run("store", "prune")).toMatchObject({ err: expect.stringContaining("Everything is kept") });
    const folder = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ikigai.config.json"), '{"retention":{"journal":{"rows":1},"audit":{"days":0}}}');
    expect((await run("store", "prune", "--dry-run")).out).toMatch(
      /^would go: 2 journal entries, \d+ audit rows, 0 conv/,
    );
    expect((await run("store", "prune", "--json")).out).toContain('"dry_run":false,"journal":2,');
    expect((await run("history", "a.txt")).out).toContain("2 earlier entries");
    expect(await run("undo", "a.txt", "1")).toMatchObject({ code: 1, err: expect.stringContaining("no longer kept") });
    expect((await run("undo", "a.txt")).code).toBe(0);
    expect(await readFile(join(own.root, "a.txt"), "utf8")).toBe("2");
  } finally {
    await own.close();
  }
});

describe("with no store yet", () => {
  let own: Awaited<ReturnType<typeof openWorkspace>>;
  beforeEach(async () => {
    own = await openWorkspace({ ownStore: true });
    await writeFile(join(own.root, "f.txt"), "here");
  });
  afterEach(() => own.close());

  test.each<[string, string]>([
    ["pinned", "0 of 100000 tokens are pinned"],
    ["budget", "100000"],
    ["audit", "file_read"],
    ["history f.txt", ""],
    ["assets list", "There are no assets."],
    ["blocks", ""],
    ["recall status", "entries   0"],
    ["recall export", ""],
    ['tool file_read {"path":"ikigai:///a.md"}', "not_found"],
    ['tool recall {"op":"search","query":"deploy"}', '"results":[]'],
  ])("%s answers as an empty one would, and makes none", async (command, shown) => {
    await own.run(["tool", "file_read", '{"path":"f.txt"}']);
    const ran = await own.run(command.split(" "));
    expect(ran.out).toContain(shown);
    expect(ran.err).toBe("");
    await expect(stat(join(own.store, "postgres"))).rejects.toThrow("ENOENT");
  });

  test.each(["diff f.txt", "undo f.txt", "undo f.txt 7"])("%s finds no change, and makes none", async (command) => {
    expect(await own.run(command.split(" "))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no change|no entry/i),
    });
    await expect(stat(join(own.store, "postgres"))).rejects.toThrow("ENOENT");
  });
});

test("a store that is removed under a program that runs is followed by a new one", { timeout: 90_000 }, async () => {
  const own = await openWorkspace({ ownStore: true });
  const settings = resolveSettings({ root: own.root, store: own.store, approve: "all" });
  const host = await openTerminalHost(settings, createTerminal(true));
  const write = async (path: string): Promise<unknown> =>
    host.registry.call({ name: "file_write", arguments: { path, content: "x" } }, { agent: "ann" });
  try {
    expect(await write("ikigai:///before.md")).toMatchObject({ success: true });
    await rm(join(own.store, "postgres"), { recursive: true });
    await vi.waitFor(async () => expect(await write("ikigai:///after.md")).toMatchObject({ success: true }), 60_000);
    const { assets } = await host.store.open();
    expect(await assets.read("ann", "before.md")).toBeUndefined();
    expect((await assets.read("ann", "after.md"))?.text).toBe("x");
  } finally {
    await host.close();
    await own.close();
  }
});

test("everything moves to another store and back is the same", { timeout: 90_000 }, async () => {
  const own = await openWorkspace({ ownStore: true });
  try {
    await call("file_write", { path: "ikigai:///blocks/m.md", content: "moved — ünïcode 🌍" });
    await ikigai("pin", "m");
    await call("recall", { op: "insert", content: "The deploy key rotates in May" });
    const file = join(own.root, "export.jsonl");
    expect((await ikigai("store", "export", file)).out).toMatch(/^\d+ rows were written/);
    expect((await own.run(["store", "import", file])).out).toMatch(/^\d+ rows were taken in/);
    const there = (...args: string[]): Promise<Ran> => own.run(["--agent", agent, ...args]);
    expect((await there("tool", "file_read", '{"path":"ikigai:///blocks/m.md"}')).out).toContain("moved — ünïcode 🌍");
    expect((await there("pinned")).out).toContain("ikigai:///blocks/m.md");
    expect((await there("tool", "recall", '{"op":"search","query":"deploy key"}')).out).toContain("rotates in May");
    expect((await own.run(["store", "import", file])).err).toContain("already has rows");
    expect((await own.run(["store", "status", "--json"])).out).toContain('"engine":"embedded"');
  } finally {
    await own.close();
  }
});

test.each<[string, string]>([
  ["store export there.txt", "there.txt is there already"],
  ["recall export there.txt", "there.txt is there already"],
  ["store export no/dir/x", "there is no folder"],
  ["store import no/such", "There is no file"],
  ["recall import no/such", "There is no file"],
  ["store import folder", "is a folder"],
  ["store export folder", "is there already"],
])("%s is refused with a reason", async (command, reason) => {
  await writeFile(join(workspace.root, "there.txt"), "kept");
  await mkdir(join(workspace.root, "folder"));
  await call("file_write", { path: "a.txt", content: "x" });
  const [noun = "", verb = "", file = ""] = command.split(" ");
  const ran = await ikigai(noun, verb, join(workspace.root, file));
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain(reason);
  expect(ran.err).not.toMatch(/ENOENT|EEXIST|EISDIR|database| at /);
  expect(await readFile(join(workspace.root, "there.txt"), "utf8")).toBe("kept");
});

test("an import of a file that is not there makes no store", async () => {
  const own = join(workspace.root, "own");
  await workspace.run(["--store", own, "store", "import", join(workspace.root, "none")]);
  await expect(stat(join(own, "postgres"))).rejects.toThrow("ENOENT");
});

test("when the store cannot be reached, files are read and nothing is written unjournalled", async () => {
  await writeFile(join(workspace.root, "a.txt"), "here");
  const away = (...args: string[]): Promise<Ran> =>
    workspace.run(["--store", "postgres://nobody:nothing@127.0.0.1:9/none", "--approve", "edits", ...args]);
  expect((await away("tool", "file_read", '{"path":"a.txt"}')).code).toBe(0);
  const write = await away("tool", "file_write", '{"path":"b.txt","content":"x"}');
  expect(JSON.parse(write.out)).toMatchObject({ success: false, code: "unavailable" });
  await expect(readFile(join(workspace.root, "b.txt"))).rejects.toThrow("ENOENT");
  expect(write.err).not.toContain("nothing@");
});

test("with the journal switched off, files are written though the store cannot be reached, and the audit waits", async () => {
  const folder = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), '{"journal":false}');
  const data = join(workspace.root, "data");
  vi.stubEnv("XDG_DATA_HOME", data);
  const away = ["--root", workspace.root, "--store", "postgres://nobody@127.0.0.1:9/none", "--approve", "edits"];
  const write = await runMain([...away, "tool", "file_write", '{"path":"b.txt","content":"x"}']);
  vi.unstubAllEnvs();
  expect(JSON.parse(write.out)).toMatchObject({ success: true });
  expect(await readFile(join(workspace.root, "b.txt"), "utf8")).toBe("x");
  const spool = (await readdir(join(data, "ikigai"))).find((name) => name.startsWith("audit-"));
  const rows = await readAuditFile(join(data, "ikigai", spool ?? ""));
  expect(rows.map(({ phase, tool }) => `${phase} ${tool}`)).toEqual(["intent file_write", "outcome file_write"]);
});

test("with the journal switched off, an act whose row cannot be kept is not done", async () => {
  const folder = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), '{"journal":false}');
  const own = join(workspace.root, "own");
  await mkdir(join(own, "audit.jsonl"), { recursive: true });
  const there = ["--store", own, "--approve", "edits"];
  const write = await workspace.run([...there, "tool", "file_write", '{"path":"b.txt","content":"x"}']);
  expect(JSON.parse(write.out)).toMatchObject({ success: false, code: "unavailable" });
  await expect(readFile(join(workspace.root, "b.txt"))).rejects.toThrow("ENOENT");
});

test("audit rows that wait for one store never reach another", async () => {
  const data = join(workspace.root, "data");
  vi.stubEnv("XDG_DATA_HOME", data);
  const url = "postgres://nobody:nothing@127.0.0.1:9/none";
  await writeFile(join(workspace.root, "a.txt"), "here");
  const read = ["--root", workspace.root, "tool", "file_read", '{"path":"a.txt"}'];
  await runMain(read);
  await runMain(["--store", url, ...read]);
  vi.unstubAllEnvs();
  const names = (await readdir(join(data, "ikigai"))).filter((name) => name.startsWith("audit"));
  expect(names.toSorted()).toEqual([expect.stringMatching(/^audit-[0-9a-f]{16}\.jsonl$/), "audit.jsonl"]);
  for (const name of names) expect(await readAuditFile(join(data, "ikigai", name))).toHaveLength(2);
});

test("the audit holds every call with its trace, denied ones too, and no secret", async () => {
  await call("file_write", { path: "x.txt", content: "token ghp_abcdefghijklmnopqrstuvwxyz0123456789" });
  await workspace.run(["--agent", agent, "tool", "file_write", '{"path":"y.txt","content":""}']);
  const { out } = await ikigai("audit", "--json", "--limit", "200");
  const rows = out
    .split("\n")
    .map((line) => JSON.parse(line) as { agent: string; outcome: string | null; phase: string; details: string });
  const mine = rows.filter((row) => row.agent === agent);
  expect(mine.map(({ phase, outcome }) => outcome ?? phase)).toEqual(["intent", "success", "permission_denied"]);
  expect(mine[0]?.details).toContain('"layer":"mode"');
  expect(out).not.toContain("ghp_abcdefghijklmnop");
  expect((await ikigai("audit", "--denied")).out).toContain("permission_denied");
  for (const path of ["z.txt", "zz.txt"]) await call("file_write", { path, content: "" });
  expect((await ikigai("audit", "--limit", "2")).out).toMatch(/^[^\n]+\/z\.txt[^\n]*\n[^\n]+\/zz\.txt[^\n]*$/);
  expect((await ikigai("audit", "--limit", "2", "--json")).out.split("\n")).toHaveLength(2);
});
