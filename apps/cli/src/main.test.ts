import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadCommands } from "./commands/all.ts";
import { programPath } from "@ikigai/host/configuration";
import { createProgram } from "./program.ts";
import { closeSharedStore, openWorkspace, type Ran, runMain } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;

beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

interface AnyEnvelope {
  readonly success: boolean;
  readonly data?: Record<string, unknown>;
  readonly code?: string;
  readonly error?: string;
  readonly truncated?: { readonly kept: string };
}

function refuse(): never {
  throw new Error("nothing may run");
}

function envelopeOf({ out }: Ran): AnyEnvelope {
  expect(out.split("\n")).toHaveLength(1);
  return JSON.parse(out) as AnyEnvelope;
}

describe("tool", () => {
  test("reads a file and prints its envelope as one line", async () => {
    await writeFile(join(workspace.root, "a.txt"), "one\ntwo\n");
    const ran = await workspace.run(["tool", "file_read", '{"path":"a.txt"}']);
    expect(ran.code).toBe(0);
    expect(envelopeOf(ran)).toMatchObject({ success: true, data: { content: "one\ntwo\n", total_lines: 2 } });
    expect(ran.err).toBe("");
  });

  test("a failed call exits 1 and says why in the envelope", async () => {
    const ran = await workspace.run(["tool", "file_read", '{"path":"no.txt"}']);
    expect(ran.code).toBe(1);
    expect(envelopeOf(ran)).toMatchObject({ success: false, code: "not_found" });
  });

  test("takes its arguments from standard input", async () => {
    await writeFile(join(workspace.root, "a.txt"), "x");
    const ran = await workspace.run(["tool", "file_read", "-"], { input: '{"path":"a.txt"}' });
    expect(envelopeOf(ran)).toMatchObject({ data: { content: "x" } });
  });

  test("flags work before and after the command", async () => {
    const ran = await runMain([
      "tool",
      "file_write",
      '{"path":"a.txt","content":"x"}',
      "--root",
      workspace.root,
      "--approve",
      "edits",
      "--store",
      workspace.store,
    ]);
    expect(ran.code).toBe(0);
    expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe("x");
  });

  test("without approval nothing is written and the error says how to allow it", async () => {
    const ran = await workspace.run(["tool", "file_write", '{"path":"a.txt","content":"x"}']);
    expect(ran.code).toBe(1);
    expect(envelopeOf(ran)).toMatchObject({
      code: "permission_denied",
      error: expect.stringContaining("--approve edits"),
    });
    await expect(readFile(join(workspace.root, "a.txt"))).rejects.toThrow("ENOENT");
  });

  test("a person at the terminal is shown what happens and decides", async () => {
    const call = ["tool", "file_write", '{"path":"a.txt","content":"x"}'];
    const refused = await workspace.run(call, { answers: ["n"] });
    expect(envelopeOf(refused)).toMatchObject({ code: "permission_denied" });
    const allowed = await workspace.run(call, { answers: ["y"] });
    expect(allowed.code).toBe(0);
    expect(allowed.err).toMatch(/Permission required[^]*file_write[^]*file:\/\/\/a.txt/);
  });

  test("overwriting needs the version that was read, or --force", async () => {
    await writeFile(join(workspace.root, "a.txt"), "theirs");
    const write = ["tool", "file_write", '{"path":"a.txt","content":"mine"}', "--approve", "edits"];
    const blind = await workspace.run(write);
    expect(envelopeOf(blind)).toMatchObject({ code: "conflict" });
    const read = envelopeOf(await workspace.run(["tool", "file_read", '{"path":"a.txt"}']));
    const seen = JSON.stringify({ path: "a.txt", content: "mine", expected: read.data?.["version"] });
    expect((await workspace.run(["tool", "file_write", seen, "--approve", "edits"])).code).toBe(0);
    expect((await workspace.run([...write, "--force"])).code).toBe(0);
  });

  test("--force leaves a wrong call to the tool", async () => {
    const ran = await workspace.run(["tool", "file_write", "{", "--force", "--approve", "all"]);
    expect(envelopeOf(ran)).toMatchObject({ code: "invalid_input" });
    const created = await workspace.run([
      "tool",
      "file_write",
      '{"path":"n","content":""}',
      "--force",
      "--approve",
      "all",
    ]);
    expect(created.code).toBe(0);
  });

  test("an absolute path inside the workspace is the same file; outside it needs a person", async () => {
    await writeFile(join(workspace.root, "a.txt"), "x");
    const inside = JSON.stringify({ path: join(workspace.root, "a.txt") });
    expect(envelopeOf(await workspace.run(["tool", "file_read", inside]))).toMatchObject({ success: true });
    const outside = ["tool", "file_read", '{"path":"/etc/hostname"}', "--approve", "all"];
    expect(envelopeOf(await workspace.run(outside))).toMatchObject({ code: "permission_denied" });
    expect((await workspace.run(outside, { answers: ["yes"] })).code).toBe(0);
  });

  test("a workspace reached through a link is one workspace", async () => {
    const link = join(workspace.root, "..", "link");
    await symlink(workspace.root, link);
    await writeFile(join(workspace.root, "a.txt"), "x");
    const call = ["tool", "file_read", JSON.stringify({ path: join(workspace.root, "a.txt") })];
    expect((await runMain(["--root", link, "--store", workspace.store, ...call])).code).toBe(0);
  });

  test("an answer that is too long is cut, and the whole of it can be read afterwards", async () => {
    const text = `${"word ".repeat(20)}\n`.repeat(1_000);
    await writeFile(join(workspace.root, "long.txt"), text);
    const cut = envelopeOf(await workspace.run(["tool", "file_read", '{"path":"long.txt"}']));
    expect(cut).toMatchObject({ success: true, truncated: { total_chars: text.length } });
    const kept = cut.truncated?.kept;
    const page = JSON.stringify({ path: kept, offset: 1_000, limit: 1 });
    const rest = await workspace.run(["tool", "file_read", page]);
    expect(envelopeOf(rest)).toMatchObject({ success: true, data: { total_lines: 1_000 } });
    const write = JSON.stringify({ path: kept, content: "" });
    const forged = await workspace.run(["tool", "file_write", write, "--force", "--approve", "all"]);
    expect(envelopeOf(forged)).toMatchObject({ code: "unsupported" });
  });

  test("mode none reads and changes nothing", async () => {
    const ran = await workspace.run(["tool", "file_write", '{"path":"a","content":""}', "--approve", "none"], {
      answers: ["y"],
    });
    expect(envelopeOf(ran)).toMatchObject({ code: "permission_denied" });
  });
});

test("--force with nothing to force, or against what the call says, is misuse", async () => {
  await writeFile(join(workspace.root, "a.txt"), "theirs");
  expect((await workspace.run(["tool", "file_read", '{"path":"a.txt"}', "--force"])).code).toBe(2);
  const contradicting = '{"path":"a.txt","content":"x","expected":null}';
  expect((await workspace.run(["tool", "file_write", contradicting, "--force", "--approve", "all"])).code).toBe(2);
  expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe("theirs");
});

test.each([
  ["ask", '{"path":"n.txt","content":""}', "--approve edits"],
  ["edits", '{"path":".git/config","content":""}', "Only a person"],
  ["all", '{"path":".bashrc","content":""}', "Only a person"],
])("in mode %s the hint says what really helps", async (mode, input, hint) => {
  expect((await workspace.run(["tool", "file_write", input, "--approve", mode])).out).toContain(hint);
});

describe("misuse exits 2 and prints no result", () => {
  test.each([
    ["an unknown command", ["nonsense"]],
    ["an unknown flag", ["tools", "--colour"]],
    ["an unknown mode", ["tools", "--approve", "yes"]],
    ["a missing argument", ["tool"]],
    ["an unknown format", ["tools", "--format", "xml"]],
    ["a workspace that is not there", ["--root", "/no/such/folder", "tools"]],
    ["an agent with a strange name", ["--agent", "a/b", "tools"]],
    ["a store that is a file", ["--store", "/dev/null/x", "tools"]],
  ])("%s", async (_, args) => {
    const ran = await runMain(args);
    expect(ran.code).toBe(2);
    expect(ran.out).toBe("");
    expect(ran.err).not.toBe("");
  });
});

test("tools lists the catalog for people, as cards and for each provider", async () => {
  expect((await workspace.run(["tools"])).out).toMatch(/^file_read {2,}\S/m);
  const cards = JSON.parse((await workspace.run(["tools", "--json"])).out) as { name: string }[];
  expect(cards.map(({ name }) => name)).toContain("file_edit");
  for (const [format, key] of [
    ["openai", "function"],
    ["anthropic", "input_schema"],
    ["mcp", "inputSchema"],
  ] as const) {
    const [first] = JSON.parse((await workspace.run(["tools", "--format", format])).out) as Record<string, unknown>[];
    expect(first).toHaveProperty(key);
  }
});

test("without a terminal ikigai shows where it is and commands that can be pasted, in at most 20 lines", async () => {
  const { code, out } = await workspace.run([]);
  expect(code).toBe(0);
  expect(out.split("\n").length).toBeLessThanOrEqual(20);
  expect(out).toContain("file:///, ikigai:///");
  expect(out).toContain("There is no model yet");
  for (const words of ["demo", "mcp install claude-code", "login anthropic", "--model anthropic/", "--help"])
    expect(out).toContain(words);
  const withModel = await workspace.run(["--model", "local/x"]);
  expect(withModel.out).toContain("Model: local/x");
  expect(withModel.out.split("\n").length).toBeLessThanOrEqual(20);
  expect(JSON.parse((await workspace.run(["--json"])).out)).toMatchObject({ root: workspace.root, agent: "default" });
});

test.each([
  [
    "a clone started by npm",
    "/c/node_modules/.bin/ikigai",
    { npm_lifecycle_event: "start", PATH: "/c/node_modules/.bin" },
    "/c",
    "node_modules/.bin/ikigai",
  ],
  ["another folder", "/c/node_modules/.bin/ikigai", { PATH: "/nowhere" }, "/d", "/c/node_modules/.bin/ikigai"],
  ["a folder with a space", "/my c/ikigai", {}, "/d", "'/my c/ikigai'"],
  ["a program that was not started by a file", "", {}, "/d", "ikigai"],
])("the command to paste is right in %s", (_, started, env, folder, wanted) => {
  expect(programPath(started, env, folder)).toBe(wanted);
});

test("help, -h and --help are the same, and help of a command is that command's", async () => {
  const { out } = await runMain(["--help"]);
  for (const args of [["help"], ["-h"]]) expect((await runMain(args)).out).toBe(out);
  expect((await runMain(["help", "run"])).out).toBe((await runMain(["run", "--help"])).out);
  expect((await runMain(["help", "run"])).out).toContain("--max-turns");
  expect(await runMain(["help", "nonsense"])).toMatchObject({ code: 2, out: "" });
});

test("what help says of the commands is what the commands say of themselves", async () => {
  const program = createProgram({ print: () => {}, complain: () => {} });
  for (const add of await loadCommands())
    add(program, () => async () => {}, { openTerminal: refuse, setExitCode: refuse });
  expect((await runMain(["--help"])).out).toContain(program.helpInformation().trimEnd());
});

describe("what cannot be meant is refused and not passed over", () => {
  test.each([
    ["--continue with a command that has no conversation", ["tools", "--continue"], "--continue does not go with"],
    ["--resume with a command that has no conversation", ["sources", "--resume", "x"], "--resume does not go with"],
    ["-p after a command that does no task", ["tools", "-p"], "--print does not go with"],
    ["--continue and --resume", ["--continue", "--resume", "x"], "name two conversations"],
    ["a conversation without a terminal", ["--continue"], "needs a terminal"],
    ["a task without words", ["run"], "There is no task"],
    ["-p without words", ["-p"], "There is no task"],
    ["run --resume without an id", ["run", "x", "--resume"], "asks which conversation"],
    ["a word that is no command", ["tol"], 'There is no command "tol". Did you mean tool, tools?'],
  ])("%s", async (_, args, message) => {
    const ran = await workspace.run(args);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain(message);
  });
});

test("help has examples for every command, and --version prints one", async () => {
  for (const command of [[], ["tool"], ["tools"], ["sources"]]) {
    const { code, out } = await runMain([...command, "--help"]);
    expect(code).toBe(0);
    expect(out).toContain("Examples:");
  }
  for (const args of [["--version"], ["-v"], ["--quiet", "-v"]])
    expect((await runMain(args)).out).toMatch(/^\d+\.\d+\.\d+$/);
});

describe("configuration", () => {
  const configure = async (config: unknown): Promise<void> => {
    const text = typeof config === "string" ? config : JSON.stringify(config);
    await writeFile(join(workspace.root, "ikigai.config.json"), text);
    await workspace.run(["trust", "--yes"]);
  };

  test("mounts a further source under its own scheme", async () => {
    await mkdir(join(workspace.root, "..", "handbook"));
    await writeFile(join(workspace.root, "..", "handbook", "a.md"), "A");
    const root = join(workspace.root, "..", "handbook");
    await configure({
      sources: [{ use: "@ikigai/source-file", mount: "docs", options: { root }, permission: "read_only" }],
    });
    const read = await workspace.run(["tool", "file_read", '{"path":"docs:///a.md"}']);
    expect(envelopeOf(read)).toMatchObject({ data: { content: "A" } });
    const write = await workspace.run([
      "tool",
      "file_write",
      '{"path":"docs:///b.md","content":""}',
      "--approve",
      "all",
    ]);
    expect(envelopeOf(write)).toMatchObject({ code: "permission_denied" });
    expect((await workspace.run(["sources"])).out).toMatch(/docs:\/\/\/ .*mounted/);
  });

  test("a plugin from a file is mounted, also a stream", async () => {
    const plugin = `const schema = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } };
      export const clock = { name: "clock", kind: "stream", contract: 1, capabilities: [], options: schema,
        open: async () => ({ async *events() { yield { cursor: "1", at: new Date(0), text: "tick" }; } }) };`;
    await writeFile(join(workspace.root, "clock.js"), plugin);
    await writeFile(join(workspace.root, "package.json"), '{"type":"module"}');
    await configure({ sources: [{ use: "./clock.js", mount: "clock" }] });
    expect((await workspace.run(["sources"])).out).toMatch(/clock:\/\/\/ .*events/);
  });

  test.each([
    [
      "a package that is not installed",
      { use: "ikigai-source-absent", mount: "x" },
      "it is not installed. Run: npm install --prefix ",
    ],
    ["a file that is not there", { use: "./absent.js", mount: "x" }, "could not be imported"],
    ["a package without a source", { use: "zod", mount: "x" }, "0 source definitions"],
    ["options that do not fit", { use: "@ikigai/source-file", mount: "x", options: { rot: 1 } }, "failed at options"],
  ])("%s is left out by name, and the rest works", async (_, source, message) => {
    await configure({ sources: [source] });
    const ran = await workspace.run(["sources"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(message);
    expect((await workspace.run(["tools"])).code).toBe(0);
    expect(ran.out).toContain("failed");
    expect(JSON.parse((await workspace.run(["sources", "--json"])).out)).toContainEqual(
      expect.objectContaining({ state: "failed" }),
    );
  });

  test.each(["file", "ikigai", "pin", "context", "block", "recall", "output", "jobs"])(
    "a source under our own name %s, whose rights it would get, is left out, and the rest works",
    async (mount) => {
      await configure({ sources: [{ use: "@ikigai/source-file", mount, options: { root: "." } }] });
      const ran = await workspace.run(["sources"]);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain(`"${mount}" is the name of a mount that ikigai itself has`);
      expect((await workspace.run(["tools"])).code).toBe(0);
    },
  );

  test.each([
    ["not JSON", "{", "is not valid JSON"],
    ["an unknown field", { source: [] }, "source"],
    ["a wrong type", { max_output_size: "big" }, "max_output_size"],
  ])("%s is misuse that names the file, whether it is trusted or one's own", async (_, config, message) => {
    const text = typeof config === "string" ? config : JSON.stringify(config);
    await writeFile(join(workspace.root, "ikigai.config.json"), text);
    const own = join(workspace.root, "..", "config", "ikigai");
    await mkdir(own, { recursive: true });
    await writeFile(join(own, "ikigai.config.json"), text);
    for (const ran of [await workspace.run(["trust", "--yes"]), await workspace.run(["tools"])]) {
      expect(ran.code).toBe(2);
      expect(ran.err).toContain("ikigai.config.json");
      expect(ran.err).toContain(message);
    }
  });

  test("a file that cannot be read is an error, not an empty configuration", async () => {
    await mkdir(join(workspace.root, "..", "config", "ikigai", "ikigai.config.json"), { recursive: true });
    expect((await workspace.run(["tools"])).err).toContain("is a folder and not a regular file");
  });

  test("bounds and time limits are the user's to set", async () => {
    await configure({ max_output_size: 1_000, timeout_ms: 60_000 });
    await writeFile(join(workspace.root, "a.txt"), "x".repeat(5_000));
    expect(envelopeOf(await workspace.run(["tool", "file_read", '{"path":"a.txt"}']))).toHaveProperty("truncated");
  });
});
