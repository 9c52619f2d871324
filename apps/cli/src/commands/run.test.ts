import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Fault, type NormalisedRequest, type Script, startMockProvider } from "@ikigai/agent/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { closeSharedStore, openWorkspace, type Ran, type RunOptions } from "../testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;

beforeAll(async () => {
  workspace = await openWorkspace();
  // The engine is started here, so that no test waits for it.
  await workspace.run(["pinned"]);
  await workspace.close();
}, 90_000);
beforeEach(async () => {
  workspace = await openWorkspace();
  delete process.env["IKIGAI_MODEL"];
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

const results = ({ turns }: NormalisedRequest): string[] =>
  turns.flatMap((turn) => (turn.role === "result" ? [turn.text] : []));

async function runWith(
  script: Script,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran & { requests: readonly NormalisedRequest[]; keys: readonly string[] }> {
  await using provider = await startMockProvider(script);
  const model = ["--model", "local/scripted", "--base-url", provider.openAiUrl];
  return { ...(await workspace.run([...args, ...model], options)), requests: provider.requests, keys: provider.keys };
}

describe("a task", () => {
  const echo: Script = ({ turns }) => {
    const asked = turns.flatMap((turn) => (turn.role === "user" ? [turn.text] : []));
    return { text: `${asked.length}: ${asked.at(-1)}` };
  };

  test.each([
    ["in quotes without a command", ["what is it?"], undefined],
    ["after -p", ["-p", "what", "is", "it?"], undefined],
    ["before -p", ["what is it?", "-p"], undefined],
    ["after -p, though a word of it names a command", ["-p", "what", "tools"], undefined],
    ["on standard input of run", ["run"], "what is it?\n"],
    ["on standard input of -p", ["-p"], "what is it?\n"],
    ["on standard input alone", [], "what is it?\n"],
  ])("%s is done and answered", async (_, args, input) => {
    const ran = await runWith(echo, args, input === undefined ? {} : { input });
    expect(ran).toMatchObject({ code: 0, out: args.includes("tools") ? "1: what tools" : "1: what is it?" });
  });

  test("in quotes has what is piped in as context", async () => {
    const ran = await runWith(echo, ["what is it?"], { input: "a parrot" });
    expect(ran.out).toMatch(/^1: what is it\?[^]*a parrot/);
  });

  test("goes on with the last conversation, or with one by its id", async () => {
    const first = await runWith(echo, ["run", "one", "--json", "--agent", "goer"]);
    const { conversation } = JSON.parse(first.out.split("\n").at(-1) ?? "") as { conversation: string };
    expect((await runWith(echo, ["run", "two", "--continue", "--agent", "goer"])).out).toBe("2: two");
    expect((await runWith(echo, ["three in words", "--continue", "--agent", "goer"])).out).toBe("3: three in words");
    expect((await runWith(echo, ["run", "four", "--resume", conversation, "--agent", "goer"])).out).toBe("4: four");
    const none = await runWith(echo, ["run", "x", "--continue", "--agent", "nobody"]);
    expect(none).toMatchObject({ code: 2, out: "", requests: [] });
    expect(none.err).toContain("no conversation to go on with");
  });
});

describe("exit codes", () => {
  test("0 and the answer on standard output when the task is done", async () => {
    const ran = await runWith(() => ({ text: "Forty-two." }), ["run", "what is it?"]);
    expect(ran).toMatchObject({ code: 0, out: "Forty-two." });
  });

  test("1 and a last line that says why when the provider fails", async () => {
    const ran = await runWith(() => ({ fault: { kind: "status", status: 401 } }), ["run", "go"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("refused the key (401)");
  });

  const soon = { "retry-after-ms": "0" };
  test.each<[string, Fault, number, RegExp]>([
    ["429", { kind: "status", status: 429, headers: soon }, 4, /failed \(429\).*gave up after 4 attempts/],
    ["500", { kind: "status", status: 500, headers: soon }, 4, /failed \(500\).*gave up after 4 attempts/],
    ["529", { kind: "status", status: 529, headers: soon }, 4, /failed \(529\).*gave up after 4 attempts/],
    [
      "429 with a day",
      { kind: "status", status: 429, headers: { "retry-after": "86400" } },
      1,
      /asked to wait 86400 s/,
    ],
    ["413", { kind: "status", status: 413 }, 4, /too long for the model \(413\).*\/compact/],
  ])("1 and a clear last line after %s, with bounded attempts", async (_, fault, attempts, last) => {
    const ran = await runWith(() => ({ fault }), ["run", "go"]);
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.requests).toHaveLength(attempts);
    expect(ran.err.split("\n").at(-1)).toMatch(last);
  });

  test("2 and how to set one when there is no model", async () => {
    const ran = await workspace.run(["run", "go"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("There is no model");
    expect(ran.err).toContain("--model provider/model");
  });

  test("2 for a provider that nobody knows, and no package is made up for it", async () => {
    const ran = await workspace.run(["--model", "nope/x", "run", "go"]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('"nope" is no provider that is known here')]);
    expect(ran.err).not.toContain("@ai-sdk/nope");
    const known = await workspace.run(["--model", "groq/x", "run", "go"]);
    expect(known.err).toMatch(/npm install --prefix \S*ikigai @ai-sdk\/groq/);
  });

  test("2 for a count of turns that is none", async () => {
    expect((await workspace.run(["run", "go", "--max-turns", "0"])).code).toBe(2);
  });

  test("0 with an @ that is no file, which is sent as it stands and told", async () => {
    const ran = await runWith(() => ({ text: "seen" }), ["run", "look at @no/such.md"]);
    expect(ran).toMatchObject({ code: 0, out: "seen" });
    expect(JSON.stringify(ran.requests)).toContain("look at @no/such.md");
    expect(ran.err).toContain("@no/such.md is no file here");
  });

  const write: Script = (request) =>
    results(request).length === 0
      ? { calls: [{ name: "file_write", input: { path: "a.txt", content: "x" } }] }
      : { text: results(request)[0]?.includes('"success":true') === true ? "written" : "I could not write." };

  test("3 when something was denied, and 0 with --approve", async () => {
    const denied = await runWith(write, ["run", "write a.txt"]);
    expect(denied).toMatchObject({ code: 3, out: "I could not write." });
    const allowed = await runWith(write, ["run", "write a.txt", "--approve", "edits"]);
    expect(allowed).toMatchObject({ code: 0, out: "written" });
    expect(await readFile(join(workspace.root, "a.txt"), "utf8")).toBe("x");
  });

  test("3 when a tool needs consent and nobody is there, though it touches nothing", async () => {
    const folder = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai");
    await mkdir(folder, { recursive: true });
    const shy = { name: "shy", rules: { requires_consent: ["slash_command"] } };
    await writeFile(join(folder, "ikigai.config.json"), JSON.stringify({ agents: [shy, { name: "bold" }] }));
    const look: Script = (request) =>
      results(request).length === 0
        ? { calls: [{ name: "slash_command", input: { command: "/pinned" } }] }
        : { text: results(request)[0]?.slice(0, 300) ?? "" };
    const free = await runWith(look, ["run", "look", "--agent", "bold", "--approve", "all"]);
    expect(free).toMatchObject({ code: 0, out: expect.stringContaining('"success":true') });
    const ran = await runWith(look, ["run", "look", "--agent", "shy", "--approve", "all"]);
    expect(ran).toMatchObject({ code: 3, out: expect.stringContaining("shy needs consent for slash_command") });
    const called = await workspace.run(["tool", "slash_command", '{"command":"/pinned"}', "--agent", "shy"]);
    expect(called.code).not.toBe(0);
    expect(`${called.out}${called.err}`).toContain("shy needs consent for slash_command");
  });

  test("4 when the turns are used up", async () => {
    const ran = await runWith(
      (_, count) => ({ calls: [{ name: "file_read", input: { path: `no-${count}.txt` } }] }),
      ["run", "go", "--max-turns", "2"],
    );
    expect(ran.code).toBe(4);
    expect(ran.requests).toHaveLength(2);
  });

  test("130 when it is interrupted", async () => {
    const ran = await runWith(() => {
      setImmediate(() => process.emit("SIGINT"));
      return { fault: { kind: "stall" }, reply: { text: "a long story" } };
    }, ["run", "go"]);
    expect(ran.code).toBe(130);
  });
});

test("over budget, the model compacts with /compact, tries again and pins", async () => {
  const long = "Decision one: use tabs. ".repeat(40);
  await mkdir(join(process.env["XDG_CONFIG_HOME"] as string, "ikigai"), { recursive: true });
  const config = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai", "ikigai.config.json");
  await writeFile(config, JSON.stringify({ budget: 300 }));
  const write = {
    name: "file_write",
    input: { path: "ikigai:///blocks/new.md", content: "Decision two. ".repeat(30) },
  };
  const slash = (command: string) => ({ name: "slash_command", input: { command } });
  const ran = await runWith(
    (request) => {
      if (request.tools.length === 0) return { text: "Decision one: use tabs." };
      const said = results(request).map((text) => JSON.parse(text) as { success: boolean; code?: string });
      const steps = [
        { name: "file_write", input: { path: "ikigai:///blocks/old.md", content: long } },
        slash("/pin blocks/old"),
        write,
      ];
      const next = steps[said.length];
      if (next !== undefined) return { calls: [next] };
      if (said.length === 3)
        return said[2]?.code === "over_budget" ? { calls: [slash("/compact blocks/old")] } : { text: "?" };
      if (said.length === 4) return said[3]?.success === true ? { calls: [write] } : { text: "could not compact" };
      if (said.length === 5) return { calls: [slash("/pin blocks/new")] };
      return { text: said.map(({ success, code }) => (success ? "ok" : code)).join(" ") };
    },
    ["run", "go", "--approve", "edits", "--agent", "keeper"],
  );
  expect(ran).toMatchObject({ code: 0, out: "ok ok over_budget ok ok ok" });
});

test("standard input is context, fenced so that it cannot pass for the task", async () => {
  const ran = await runWith(() => ({ text: "ok" }), ["run", "summarise", "this"], { input: "one\n```\ntwo" });
  const [turn] = ran.requests[0]?.turns ?? [];
  expect(turn).toEqual({
    role: "user",
    text: 'summarise this\n\n````text address="standard input" version="1"\none\n```\ntwo\n````',
  });
});

test("--json streams events, one line each, and escapes what would steer a terminal", async () => {
  await writeFile(join(workspace.root, "a.txt"), "x");
  const ran = await runWith(
    (request) =>
      results(request).length === 0
        ? { text: "Reading\u009b2J", calls: [{ name: "file_read", input: { path: "a.txt" } }] }
        : { text: "done" },
    ["run", "go", "--json"],
  );
  const events = ran.out.split("\n").map((line) => JSON.parse(line) as { type: string; text?: string });
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["text", "reply", "call", "result", "end"]));
  expect(events.at(-1)).toMatchObject({ type: "end", status: "done", text: "done", steps: 2 });
  expect(ran.out).not.toContain("\u009b");
  expect(
    events
      .filter(({ type }) => type === "text")
      .map(({ text }) => text)
      .join(""),
  ).toBe("Reading\u009b2Jdone");
});

describe("agents by configuration", () => {
  const configure = async (config: object): Promise<void> => {
    await writeFile(join(workspace.root, "ikigai.config.json"), JSON.stringify(config));
    await workspace.run(["trust", "--yes"]);
  };

  test("prompt, tools, operations, pins and rules of the chosen agent count", async () => {
    await writeFile(join(workspace.root, "style.md"), "Be brief.");
    await configure({
      agents: [
        {
          name: "reader",
          prompt: "You only read.",
          tools: ["file_read", "block"],
          operations: { block: ["info"] },
          pins: ["style.md", "missing.md"],
          rules: { max_calls: { file_read: 3 } },
        },
      ],
    });
    const ran = await runWith(() => ({ text: "ok" }), ["run", "go", "--agent", "reader"]);
    expect(ran.requests[0]?.tools.toSorted()).toEqual(["block", "file_read"]);
    expect(ran.requests[0]?.system).toContain("You only read.");
    expect(ran.requests[0]?.system).toContain("Be brief.");
    expect(ran.requests[0]?.system).toContain("block: only info.");
    expect(ran.requests[0]?.system).toContain("file_read: at most 3 calls");
    expect(ran.err).toContain("the configuration pins missing.md, and there is no such text");
  });

  test("its permissions are a ceiling that no approval mode opens", async () => {
    await configure({ agents: [{ name: "shy", permissions: [{ glob: "file:///docs/**", permission: "read_only" }] }] });
    const ran = await runWith(
      (request) =>
        results(request).length === 0
          ? {
              calls: ["docs/a.md", "b.md"].map((path) => ({ name: "file_write", input: { path, content: "x" } })),
            }
          : {
              text: results(request)
                .map((one) => String(one.includes('"success":true')))
                .join(" "),
            },
      ["run", "go", "--agent", "shy", "--approve", "all"],
    );
    expect(ran).toMatchObject({ code: 3, out: "false true" });
  });

  test("a name that the configuration does not have, and a rule for no tool, are misuse", async () => {
    await configure({ agents: [{ name: "reader", rules: { exit_loop: ["no_tool"] } }] });
    expect(await runWith(() => ({ text: "x" }), ["run", "go", "--agent", "writer"])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no agent "writer"'),
    });
    expect(await runWith(() => ({ text: "x" }), ["run", "go", "--agent", "reader"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no_tool"),
    });
  });

  test("a project that is not trusted sets neither model nor server", async () => {
    await using provider = await startMockProvider(() => ({ text: "stolen" }));
    const config = { model: "local/evil", base_url: provider.openAiUrl };
    await writeFile(join(workspace.root, "ikigai.config.json"), JSON.stringify(config));
    await writeFile(join(workspace.root, ".env"), `IKIGAI_MODEL=local/evil\nIKIGAI_BASE_URL=${provider.openAiUrl}\n`);
    expect((await workspace.run(["run", "go"])).code).toBe(2);
    expect(provider.count).toBe(0);
    await workspace.run(["trust", "--yes"]);
    expect(await workspace.run(["run", "go"])).toMatchObject({ code: 0, out: "stolen" });
  });
});

describe("login", () => {
  test("keeps the key in a file of mode 0600, and run uses it", async () => {
    expect((await workspace.run(["login", "local"], { input: "s3cret\n" })).code).toBe(0);
    const file = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai", "credentials.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const ran = await runWith(() => ({ text: "ok" }), ["run", "go"]);
    expect(ran.code).toBe(0);
    expect(ran.keys).toEqual(["s3cret"]);
  });

  test("a file that others can read is refused, and so is a key that is none", async () => {
    await workspace.run(["login", "local"], { answers: ["s3cret"] });
    const file = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai", "credentials.json");
    await chmod(file, 0o640);
    const ran = await runWith(() => ({ text: "ok" }), ["run", "go"]);
    expect(ran).toMatchObject({ code: 2, requests: [] });
    expect(ran.err).toContain("mode 0640");
    expect((await workspace.run(["login", "local"], { input: "two words" })).code).toBe(2);
    expect((await workspace.run(["login", "../x"], { input: "key" })).code).toBe(2);
    expect((await workspace.run(["login", "local"])).code).toBe(2);
  });
});
