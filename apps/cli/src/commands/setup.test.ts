import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startMockProvider } from "@ikigai/agent/testing";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { playDemo } from "../demo/play-demo.ts";
import { type Finding, examineNode } from "@ikigai/host/health";
import { examineTerminal } from "../doctor/examine-terminal.ts";
import { closeSharedStore, openWorkspace } from "../testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;

beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

test.each(["openai", "anthropic"] as const)(
  "over %s the demo plays write, over budget, compact, retry and pin",
  async (protocol) => {
    const out: string[] = [];
    const print = (line: string): void => void out.push(line);
    const terminal = {
      print,
      printRaw: print,
      note: print,
      show: print,
      complain: print,
      colours: false,
      interactive: false,
    };
    const code = await playDemo(
      { ...terminal, ask: async () => "", choose: async () => undefined, readInput: async () => "" },
      protocol,
    );
    expect(code).toBe(0);
    expect(out.join("\n")).toMatch(
      /scripted model[\s\S]*✗ file_write ikigai:\/\/\/blocks\/large-doc\.md[\s\S]*over_budget: Block budget exceeded[\s\S]*✓ file_read[\s\S]*✓ file_write ikigai:\/\/\/blocks\/old-block\.md[\s\S]*✓ file_write ikigai:\/\/\/blocks\/large-doc\.md[\s\S]*✓ slash_command \/pin/,
    );
  },
  90_000,
);

describe("doctor", () => {
  const examine = async (...args: string[]): Promise<{ code: number; findings: Map<string, Finding> }> => {
    const { code, out } = await workspace.run(["doctor", "--json", ...args]);
    return { code, findings: new Map((JSON.parse(out) as Finding[]).map((one) => [one.what, one])) };
  };

  test("all is well but the model, which is said with what to do", async () => {
    const { code, findings } = await examine();
    expect(code).toBe(0);
    expect([...findings.keys()]).toEqual([
      "node",
      "store",
      "configuration",
      "source file:///",
      "source ikigai:///",
      "source host:///",
      "source jobs:///",
      "model",
      "feature store",
      "feature shell",
      "feature notes",
      "feature recall",
      "feature mcp",
      "terminal",
    ]);
    expect(findings.get("model")).toMatchObject({ state: "warn", advice: expect.stringContaining("--model") });
    expect((await workspace.run(["doctor"])).out).toContain("warn  model: none is set");
  });

  test("a source that fails, a key that is missing and a folder that is not trusted are found", async () => {
    await mkdir(join(workspace.root, "..", "config", "ikigai"), { recursive: true });
    const user = { sources: [{ use: "no-such-package", mount: "x" }], model: "openai/gpt" };
    await writeFile(join(workspace.root, "..", "config", "ikigai", "ikigai.config.json"), JSON.stringify(user));
    await writeFile(join(workspace.root, "ikigai.config.json"), "{}");
    const { code, findings } = await examine();
    expect(code).toBe(1);
    expect(findings.get("source x:///")).toMatchObject({ state: "fail", advice: expect.any(String) });
    expect(findings.get("model")).toMatchObject({ state: "fail", advice: expect.stringContaining("OPENAI_API_KEY") });
    expect(findings.get("configuration")).toMatchObject({ state: "warn" });
  });

  test("a damaged configuration is a finding, not a crash", async () => {
    await writeFile(join(workspace.root, "ikigai.config.json"), "{");
    expect((await examine()).findings.get("configuration")).toMatchObject({ state: "warn" });
    const folder = join(process.env["XDG_CONFIG_HOME"] as string, "ikigai");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ikigai.config.json"), "{");
    const { code, findings } = await examine();
    expect(code).toBe(1);
    expect(findings.get("configuration")).toMatchObject({ state: "fail" });
  });

  test("--online asks the model for a word", async () => {
    await using provider = await startMockProvider(() => ({ text: "Here" }));
    const model = ["--model", "local/x", "--base-url", provider.openAiUrl];
    expect((await examine(...model)).findings.get("model")?.finding).toContain("not asked");
    expect(provider.count).toBe(0);
    expect((await examine(...model, "--online")).findings.get("model")?.finding).toContain('answers "Here"');
  });

  test("an old Node and a locale without UTF-8 are told what to do", () => {
    expect(examineNode("20.18.3")).toMatchObject({ state: "fail" });
    expect(examineNode("18.20.0")).toMatchObject({ state: "fail" });
    expect(examineNode("24.1.0")).toMatchObject({ state: "ok" });
    const terminal = { isTTY: true, columns: 80 };
    expect(examineTerminal({ LANG: "de_DE.ISO-8859-1" }, terminal)).toMatchObject({ state: "warn" });
    expect(examineTerminal({ LANG: "C.UTF-8", NO_COLOR: "1" }, terminal)).toMatchObject({
      finding: "80 columns, without colours",
    });
    expect(examineTerminal({ TERM: "dumb" }, terminal).finding).toContain("dumb");
    expect(examineTerminal({}, terminal).finding).toContain("with colours");
  });
});

describe("init", () => {
  const read = async (): Promise<unknown> =>
    JSON.parse(await readFile(join(workspace.root, "ikigai.config.json"), "utf8"));

  test("writes what was answered, trusts it, and lists what else there is", async () => {
    await using provider = await startMockProvider(() => ({ text: "configured" }));
    const ran = await workspace.run(["init"], { answers: ["local/x", provider.openAiUrl, "secrets/**"] });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("agents");
    expect(await read()).toMatchObject({
      $schema: expect.stringContaining("schema"),
      model: "local/x",
      rules: [{ glob: "secrets/**", permission: "read_only" }],
    });
    expect(await workspace.run(["run", "go"])).toMatchObject({ code: 0, out: "configured" });
  });

  test("never writes over a file, and writes nothing that it would not read", async () => {
    expect((await workspace.run(["init", "--yes"])).code).toBe(0);
    expect(await workspace.run(["init", "--yes"])).toMatchObject({ code: 2, err: expect.stringContaining("already") });
    await workspace.close();
    workspace = await openWorkspace();
    expect((await workspace.run(["init"], { answers: ["local/x", "no url", ""] })).code).toBe(2);
    await expect(read()).rejects.toThrow("ENOENT");
    expect((await workspace.run(["init"])).code).toBe(2);
  });
});
