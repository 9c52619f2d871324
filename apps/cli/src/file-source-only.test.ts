import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startMockProvider } from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { CLIENT_NAMES, DEFAULT_TOOLSETS } from "@ikigai/mcp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLIENTS } from "@ikigai/host/mcp";
import { TOOLSETS } from "./commands/mcp.ts";
import { FEATURES, installCommand, isInstalled } from "@ikigai/host/parts";

const app = fileURLToPath(new URL("..", import.meta.url));
const host = fileURLToPath(new URL("../../../packages/host", import.meta.url));
let base: string;
let manifest: { dependencies: Record<string, string>; optionalDependencies: Record<string, string> };
let hostManifest: typeof manifest;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-file-only-"));
  manifest = JSON.parse(await readFile(join(app, "package.json"), "utf8")) as typeof manifest;
  await mkdir(join(base, "work"));
  await writeFile(join(base, "package.json"), '{ "name": "alone", "private": true }');
  const own = join(base, "node_modules/ikigai");
  for (const part of ["bin", "dist", "schema", "package.json"]) {
    await cp(join(app, part), join(own, part), { recursive: true });
  }
  for (const part of ["bin", "dist", "package.json"]) {
    await cp(join(host, part), join(base, "node_modules/@ikigai/host", part), { recursive: true });
  }
  hostManifest = JSON.parse(await readFile(join(host, "package.json"), "utf8")) as typeof manifest;
  const needed = new Set([...Object.keys(manifest.dependencies), ...Object.keys(hostManifest.dependencies)]);
  needed.delete("@ikigai/host");
  for (const name of needed) await add(name);
});
afterAll(async () => {
  await stopKeeper(join(base, "data/ikigai/postgres"));
  await rm(base, { recursive: true, force: true });
});

/** Puts a package beside the command, as npm would. */
async function add(name: string): Promise<void> {
  const place = join(base, "node_modules", name);
  await mkdir(dirname(place), { recursive: true });
  const from = [host, app].map((one) => join(one, "node_modules", name)).find((one) => existsSync(one));
  await symlink(await realpath(from ?? name), place);
}

/** Runs command lines one after the other in one process of the installed command, as a person would type them. */
async function ikigai(...lines: readonly (readonly string[])[]): Promise<Ran[]> {
  const program = `
    import { main } from ${JSON.stringify(pathToFileURL(join(base, "node_modules/ikigai/dist/main.js")).href)};
    for (const args of JSON.parse(process.argv[1])) {
      const out = [], err = [];
      const say = (lines) => (line) => void lines.push(line);
      const code = await main(["--root", ${JSON.stringify(join(base, "work"))}, ...args], () => ({
        print: say(out), printRaw: say(out), note: () => {}, show: () => {}, complain: say(err),
        colours: false, interactive: false, piped: false, ask: async () => "", readInput: async () => "",
      }));
      console.log(JSON.stringify({ code, out: out.join("\\n"), err: err.join("\\n") }));
    }`;
  const env = {
    PATH: process.env["PATH"],
    // What `require` would find there, `import` does not.
    NODE_PATH: join(app, "node_modules"),
    HOME: base,
    XDG_CONFIG_HOME: join(base, "config"),
    XDG_DATA_HOME: join(base, "data"),
  };
  const args = ["--input-type=module", "-e", program, JSON.stringify(lines)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Ran);
}

test("every other backend is optional, and each of them can be told to be missing", () => {
  const required = Object.keys(manifest.dependencies).filter((name) => name.startsWith("@ikigai/"));
  expect(required.toSorted()).toEqual(
    ["agent", "core", "host", "memory", "permission", "terminal"].map((name) => `@ikigai/${name}`),
  );
  const known = new Set(Object.values(FEATURES).flatMap(({ packages }) => packages));
  expect([...known].toSorted()).toEqual(Object.keys(hostManifest.optionalDependencies).toSorted());
  for (const name of known) expect(isInstalled(name), name).toBe(true);
});

test("files are written, and their history and undo work without a store", async () => {
  const write = (content: string): string[] => [
    "tool",
    "file_write",
    JSON.stringify({ path: "a.md", content }),
    "--approve",
    "all",
    "--force",
  ];
  const [one, two] = await ikigai(write("one"), write("two"));
  expect([one, two]).toMatchObject([
    { code: 0, err: "" },
    { code: 0, err: "" },
  ]);
  const [history, undo, audit] = await ikigai(["history", "a.md"], ["undo", "a.md"], ["audit", "--tool", "file_write"]);
  expect(history?.out.split("\n")).toHaveLength(2);
  expect(undo).toMatchObject({ code: 0 });
  expect(await readFile(join(base, "work/a.md"), "utf8")).toBe("one");
  expect(audit?.out.match(/file_write {2}success/g)).toHaveLength(2);
  expect(audit?.out).toMatch(/success {2}allow create file:\/\/\/a\.md/);
  expect((await readdir(join(base, "data/ikigai"))).toSorted()).toEqual(["audit.jsonl", "journal.jsonl"]);
});

test("edits of a large file take little room without a store, and each is undone", { timeout: 120_000 }, async () => {
  const file = join(base, "work/large.txt");
  const line = (n: number): string => `${n} ${Math.imul(n, 0x2c1b3c6d).toString(36)} some words of this line\n`;
  const text = Array.from({ length: 210_000 }, (_, n) => line(n)).join("");
  await writeFile(file, text);
  const edit = (n: number): string[] => {
    const change = { path: "large.txt", old: `\n${n}000 `, new: `\nedited ${n}000 ` };
    return ["tool", "file_edit", JSON.stringify(change), "--approve", "all"];
  };
  const numbers = Array.from({ length: 5 }, (_, n) => n * 40 + 11);
  const journal = join(base, "data/ikigai/journal.jsonl");
  const before = (await stat(journal)).size;
  for (const { code, err } of await ikigai(...numbers.map(edit))) expect([code, err]).toEqual([0, ""]);
  // With both texts of each edit this was 84 MB.
  expect(text.length).toBeGreaterThan(7_800_000);
  expect((await stat(journal)).size - before).toBeLessThan(6_000_000);
  const edited = await readFile(file, "utf8");
  expect(numbers.every((n) => edited.includes(`edited ${n}000 `))).toBe(true);
  for (const { code } of await ikigai(...numbers.map(() => ["undo", "large.txt"]))) expect(code).toBe(0);
  expect((await readFile(file, "utf8")) === text).toBe(true);
});

test("a task runs with a model, and its block and conversation outlive the process in plain files", async () => {
  await using provider = await startMockProvider(({ turns }) => {
    const results = turns.filter(({ role }) => role === "result").length;
    if (results === 0) return { calls: [{ name: "file", input: { op: "load", path: "a.md" } }] };
    return results === 1 ? { calls: [{ name: "file_read", input: { path: "a.md" } }] } : { text: "It says one." };
  });
  const model = ["--model", "local/scripted", "--base-url", provider.openAiUrl];
  const [ran] = await ikigai(["run", "what does a.md say?", "--approve", "all", ...model]);
  expect(ran).toMatchObject({ code: 0, out: "It says one." });
  expect(ran?.err).not.toContain("not installed");
  const kept = async (kind: string): Promise<number> =>
    (await readdir(join(base, "data/ikigai/files", kind)).catch(() => [])).length;
  expect([await kept("blocks"), await kept("block-bytes"), await kept("conversations")]).toEqual([1, 1, 1]);
  const [again, talks] = await ikigai(["tool", "file", '{"op":"load","path":"a.md"}'], ["conversations"]);
  expect(again).toMatchObject({ code: 0 });
  expect([await kept("blocks"), talks?.out]).toEqual([1, expect.stringContaining("what does a.md say?")]);
});

test("assets are written, listed, pinned and taken back in plain files", async () => {
  const write = (content: string): string[] => [
    "tool",
    "file_write",
    JSON.stringify({ path: "ikigai:///kept.md", content }),
    "--approve",
    "all",
    "--force",
  ];
  const [one, two, pin, listed, undo, read, remembered] = await ikigai(
    write("one"),
    write("two"),
    ["pin", "kept"],
    ["assets", "list"],
    ["undo", "kept"],
    ["tool", "file_read", '{"path":"ikigai:///kept.md"}'],
    ["remember", "tea at four"],
  );
  for (const ran of [one, two, pin, listed, undo, read, remembered]) expect(ran).toMatchObject({ code: 0, err: "" });
  expect(listed?.out).toContain("ikigai:///kept.md");
  expect(read?.out).toContain('"content":"two"');
  const [again] = await ikigai(["undo", "kept"], ["tool", "file_read", '{"path":"ikigai:///kept.md"}']);
  expect(again).toMatchObject({ code: 0 });
});

const LACKING: readonly (readonly [readonly string[], number, string])[] = [
  [["tool", "bash", '{"command":"ls"}'], 1, "@ikigai/shell"],
  [["tool", "read_note", '{"name":"x"}'], 1, "@ikigai/notes"],
  [["tool", "recall", '{"op":"search"}'], 1, "@ikigai/recall"],
  [["mcp"], 2, "@ikigai/mcp"],
  [["mcp", "install", "cursor", "--yes"], 2, "@ikigai/mcp"],
  [["notes", "check", "."], 2, "@ikigai/notes"],
  [["refs", "a.md"], 1, "@ikigai/notes"],
  [["recall", "erase", "1"], 1, "@ikigai/recall"],
  [["recall", "import", "x"], 1, "@ikigai/recall"],
  [["recall", "export"], 1, "@ikigai/recall"],
  [["store", "status"], 1, "@ikigai/store-postgres"],
  [["store", "export"], 1, "@ikigai/store-postgres"],
  [["store", "import", "x"], 1, "@ikigai/store-postgres"],
  [["store", "prune"], 1, "@ikigai/store-postgres"],
  [["demo"], 2, "@ikigai/database"],
];

test("whatever is missing is named with the command that adds it", async () => {
  const all = await ikigai(...LACKING.map(([args]) => args));
  for (const [at, [args, code, name]] of LACKING.entries()) {
    const ran = all[at];
    const said = `${ran?.out}${ran?.err}`;
    expect(said, args.join(" ")).toMatch(
      new RegExp(`needs .*${name}.* not installed\\. Run: npm install .*${name}@\\d`),
    );
    expect(ran?.code, args.join(" ")).toBe(code);
    expect(said).not.toContain("    at ");
  }
});

test("doctor and plugin list show what is installed and how to add the rest", async () => {
  const [doctor, listed] = await ikigai(["doctor", "--json"], ["plugin", "list"]);
  const findings = JSON.parse(doctor?.out ?? "") as { what: string; advice?: string }[];
  const advice = findings.find(({ what }) => what === "feature shell")?.advice;
  expect(advice).toMatch(/^Add it with: npm install --prefix \S+ @ikigai\/shell@\d/);
  expect(findings.find(({ what }) => what.includes("ikigai:///"))).toMatchObject({
    finding: "FileAssetSource, mounted",
  });
  expect(listed).toMatchObject({ code: 0 });
  expect(listed?.out).toMatch(/^@ikigai\/source-git +can be added/m);
  expect(listed?.out).toMatch(/^To add one: npm install --prefix \S+ @ikigai\/source-git@/m);
});

test(
  "a feature that is installed later is there at once, and a store takes in what was kept in files",
  { timeout: 180_000 },
  async () => {
    for (const name of ["@ikigai/shell", "@ikigai/notes", ...FEATURES.store.packages]) await add(name);
    const [glob, note, history, undo, audit, recall, asset, talks, kept] = await ikigai(
      ["tool", "glob", '{"pattern":"*.md"}'],
      ["tool", "read_note", '{"name":"a"}'],
      ["history", "a.md"],
      ["undo", "a.md"],
      ["audit", "--tool", "file_write"],
      ["tool", "recall", '{"op":"search","query":"x"}'],
      ["tool", "file_write", '{"path":"ikigai:///x.md","content":"x"}', "--approve", "all"],
      ["conversations"],
      ["tool", "file_read", '{"path":"ikigai:///kept.md"}'],
    );
    expect(kept?.out).toContain('"content":"one"');
    expect(glob?.out).toContain('"a.md"');
    expect(note).toMatchObject({ code: 0 });
    expect(history?.out.match(/file_write/g)).toHaveLength(2);
    expect(history?.out).toMatch(/undo of \d+$/m);
    expect(undo).toMatchObject({ code: 0 });
    await expect(readFile(join(base, "work/a.md"))).rejects.toMatchObject({ code: "ENOENT" });
    // Two of a file and two of an asset, all from the time before the store.
    expect(audit?.out.match(/file_write {2}success/g)).toHaveLength(4);
    expect(recall?.out).toContain("needs @ikigai/recall, which is not installed");
    expect(asset).toMatchObject({ code: 0 });
    expect(talks?.out).toContain("what does a.md say?");
    for (const kind of ["blocks", "assets"]) expect(await readdir(join(base, "data/ikigai/files", kind))).toEqual([]);
  },
);

test("a package that is damaged is said to be, with how to mend it", async () => {
  const place = join(base, "node_modules/@ikigai/mcp");
  await mkdir(place, { recursive: true });
  const exports = { ".": "./index.js", "./serve": "./index.js" };
  await writeFile(join(place, "package.json"), JSON.stringify({ name: "@ikigai/mcp", type: "module", exports }));
  await writeFile(join(place, "index.js"), 'import "not-there";');
  const [ran] = await ikigai(["mcp"]);
  expect(ran?.err).toMatch(/@ikigai\/mcp cannot be loaded: .*not-there/);
  expect(ran?.err).toMatch(/Install it anew: npm install --prefix \S+ @ikigai\/mcp@/);
});

test("the command that adds a package fits where ikigai is installed", () => {
  expect(installCommand(["@ikigai/mcp"], join(base, "node_modules/ikigai/dist/parts.js"))).toMatch(
    new RegExp(`^npm install --prefix ${base} @`),
  );
  const global = "/usr/lib/node_modules/ikigai/dist/parts.js";
  expect(installCommand(["gpt-tokenizer"], global)).toBe(
    `npm install --global gpt-tokenizer@${hostManifest.optionalDependencies["gpt-tokenizer"]}`,
  );
});

test("what help shows of MCP is what the package has", () => {
  expect([CLIENTS, TOOLSETS]).toEqual([CLIENT_NAMES, DEFAULT_TOOLSETS]);
});

test("output that nobody reads to its end is no fault", async () => {
  const bin = join(app, "bin/ikigai.js");
  const ran = await new Promise<string>((resolve) => {
    execFile("sh", ["-c", `"${process.execPath}" "${bin}" --help | head -c 1`], (_, __, err) => resolve(err));
  });
  expect(ran).toBe("");
});
