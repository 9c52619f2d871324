import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createJsonFile, grantFile, openGrants } from "@ikigai/permission";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { approveInTerminal } from "./terminal/approve-in-terminal.ts";
import { createTerminal } from "./terminal/terminal.ts";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

const write = (path: string): string[] => ["tool", "file_write", JSON.stringify({ path, content: "x" })];

describe("permission explain", () => {
  test("says what each layer said and what decided, and does nothing", async () => {
    const ran = await workspace.run(["permission", "explain", "file_write", '{"path":".git/hooks/x","content":""}']);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/^ASK {2}create file:\/\/\/\.git\/hooks\/x/);
    expect(ran.out).toMatch(/protected +ask +\.git is always asked for/);
    expect((await workspace.run(["permission", "explain", "file_read", '{"path":"a"}'])).out).toContain(
      "ALLOW  read file:///a",
    );
  });

  test("prints the whole trace as JSON", async () => {
    const ran = await workspace.run([
      "permission",
      "explain",
      "file_write",
      '{"path":"a","content":""}',
      "--json",
      "--approve",
      "edits",
    ]);
    expect(JSON.parse(ran.out)).toMatchObject({
      verdicts: [{ decision: "allow", trace: [{ layer: "source" }, { layer: "mode" }] }],
    });
    expect(ran.code).toBe(0);
  });

  const configure = async (config: object): Promise<string> => {
    const folder = join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ikigai.config.json"), JSON.stringify(config));
    return join(folder, "ikigai.config.json");
  };
  const explain = (tool: string, input: object, ...flags: string[]): ReturnType<typeof workspace.run> =>
    workspace.run(["permission", "explain", tool, JSON.stringify(input), ...flags]);

  test("names the rule that decided, and the file it stands in", async () => {
    const file = await configure({
      rules: [{ glob: "sec/**", permission: "read_only" }],
      agents: [{ name: "shy", permissions: [{ glob: "file:///lib/**", permission: "read_only" }] }],
    });
    const { out } = await explain("file_write", { path: "sec/x", content: "" });
    expect(out).toContain(`file:///sec/x, by the rule "sec/**" in ${file}, is read_only, which does not allow create`);
    expect((await explain("file_write", { path: "free/x", content: "" })).out).toContain(
      "file:///free/x is read_write",
    );
    const shy = await explain("file_write", { path: "lib/x", content: "" }, "--agent", "shy");
    expect(shy.out).toContain('by "file:///lib/**" in the permissions of the agent shy, is read_only');
  });

  test("a project cannot widen an agent of the user's by giving another the same name", async () => {
    await configure({ agents: [{ name: "shy", permissions: [{ glob: "file:///lib/**", permission: "read_only" }] }] });
    const wider = {
      agents: [{ name: "shy" }, { name: "own", permissions: [{ glob: "**", permission: "read_only" }] }],
    };
    await writeFile(join(workspace.root, "ikigai.config.json"), JSON.stringify(wider));
    await workspace.run(["trust", "--yes"]);
    const input = { path: "lib/x", content: "" };
    expect((await explain("file_write", input, "--agent", "own")).out).toMatch(/^DENY/);
    expect((await explain("file_write", input, "--agent", "shy")).out).toMatch(/^DENY/);
  });

  test("two agents of one name in one file are a fault of that file", async () => {
    const file = await configure({ agents: [{ name: "shy" }, { name: "shy" }] });
    const ran = await explain("file_read", { path: "a" });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(file);
    expect(ran.err).toContain("two agents have one name");
  });

  test("says which hooks would be asked, and asks none", async () => {
    await configure({ hooks: { before: [{ command: ["touch", "asked"], tools: ["file_read"] }] } });
    const ran = await explain("file_read", { path: "a" });
    expect(ran.out).toMatch(/^HOOK {2}touch asked\n {2}is asked before file_read runs/m);
    expect(ran.code).toBe(1);
    expect(JSON.parse((await explain("file_read", { path: "a" }, "--json")).out)).toMatchObject({
      hooks: [["touch", "asked"]],
    });
    expect((await explain("glob", { pattern: "*" })).code).toBe(0);
    expect(existsSync("asked")).toBe(false);
  });

  test("knows of links that lead out of the workspace", async () => {
    await symlink("/etc/hosts", join(workspace.root, "lnk"));
    await symlink("/etc", join(workspace.root, "etc"));
    await writeFile(join(workspace.root, "b"), "text");
    await symlink("b", join(workspace.root, "inner"));
    for (const path of ["lnk", "etc/hosts", "etc/absent"]) {
      const ran = await explain("file_read", { path });
      expect(ran.out).toMatch(/^DENY {2}read/);
      expect(ran.out).toMatch(/link +deny +".*" leads out of the root through a link/);
    }
    expect((await explain("file_read", { path: "inner" })).code).toBe(0);
  });

  test("knows of closed addresses that a command would write", async () => {
    await configure({ agents: [{ name: "shy", permissions: [{ glob: "ikigai:///**", permission: "read_only" }] }] });
    const command = { command: "echo hi > ikigai:///blocks/x.md" };
    const ran = await explain("bash", command, "--agent", "shy", "--approve", "all");
    expect(ran.out).toMatch(/^DENY {2}execute/);
    expect(ran.out).toMatch(/command +deny +the command names "ikigai:\/\/\/blocks\/x\.md": .* does not allow create/);
    expect((await explain("bash", command, "--approve", "all")).code).toBe(0);
    const looks = await explain("bash", { command: "cat ikigai:///blocks/x.md" }, "--agent", "shy", "--approve", "all");
    expect(looks.code).toBe(0);
  });

  test("a call that cannot be made is misuse", async () => {
    expect((await workspace.run(["permission", "explain", "nothing"])).code).toBe(2);
  });
});

describe("an approval at the terminal", () => {
  test("how long is asked again until it is understood", async () => {
    const ran = await workspace.run(write("a.txt"), { answers: ["a", "forever", "p"] });
    expect(ran.err).toContain('"forever" is none of s, p, u and n.');
    expect((await workspace.run(["permission", "list"])).out).toContain("project");
  });

  test("may be given for a pattern, and then nobody is asked again", async () => {
    const first = await workspace.run(write("src/a.txt"), { answers: ["f", "p"] });
    expect(first.err).toContain("[f] always for this folder");
    expect(first.err).toContain("  │ create file:///src/**");
    expect(first.code).toBe(0);
    expect((await workspace.run(write("src/b.txt"))).code).toBe(0);
    expect((await workspace.run(write("lib/b.txt"))).code).toBe(1);
    const listed = await workspace.run(["permission", "list"]);
    expect(listed.out).toContain("file:///src/**");
    const [grant] = JSON.parse((await workspace.run(["permission", "list", "--json"])).out) as { id: string }[];
    expect((await workspace.run(["permission", "revoke", grant?.id ?? ""])).code).toBe(0);
    expect((await workspace.run(write("src/c.txt"))).code).toBe(1);
    expect((await workspace.run(["permission", "list"])).out).toContain("No grants");
  });

  test("may be given for the kind of action, and ends with the session when it is given for that", async () => {
    expect((await workspace.run(write("a.txt"), { answers: ["a", "s"] })).code).toBe(0);
    expect((await workspace.run(write("b.txt"))).code).toBe(1);
    expect((await workspace.run(write("c.txt"), { answers: ["a", "u"] })).code).toBe(0);
    expect((await workspace.run(write("d.txt"))).code).toBe(0);
  });

  test("is never offered for what needs a person each time", async () => {
    const ran = await workspace.run(write(".bashrc"), { answers: ["a"] });
    expect(ran.err).not.toContain("[a]");
    expect(ran.code).toBe(1);
    const allowed = await workspace.run(write(".bashrc"), { answers: ["y"] });
    expect(allowed.code).toBe(0);
  });

  test("is offered outside the workspace only for the place itself", async () => {
    const ran = await workspace.run(["tool", "file_read", '{"path":"/etc/hostname"}'], { answers: ["r", "private"] });
    expect(ran.err).not.toContain("[a]");
    expect(ran.err).toContain("[f] always for this folder");
    expect(ran.out).toContain("private");
  });

  test("cannot be given for a change outside the workspace, and it is said how to allow one", async () => {
    const ran = await workspace.run([...write("/tmp/ikigai-absent/x"), "--approve", "all"], { answers: ["y"] });
    expect(JSON.parse(ran.out)).toMatchObject({
      code: "permission_denied",
      error: expect.stringMatching(/outside the workspace.*add its folder to "sources".*--root/) as string,
    });
  });

  test("shows what would change, escaped", async () => {
    await writeFile(join(workspace.root, "a.txt"), "old line\n");
    const call = ["tool", "file_edit", JSON.stringify({ path: "a.txt", old: "old", new: "new\u001b]0;x\u0007" })];
    const { err } = await workspace.run(call, { answers: ["n"] });
    expect(err).toContain("  │ -old line");
    expect(err).toContain("  │ +new\\u{1b}]0;x\\u{7} line");
  });
});

test("a link that leads to a protected place is that place", async () => {
  await mkdir(join(workspace.root, ".git", "hooks"), { recursive: true });
  await symlink(join(workspace.root, ".git", "hooks"), join(workspace.root, "innocent"));
  const ran = await workspace.run([...write("innocent/post-merge"), "--approve", "all"]);
  expect(ran.out).toContain("is always asked for");
  expect(existsSync(join(workspace.root, ".git", "hooks", "post-merge"))).toBe(false);
});

test("nobody who answers in time is a no, and the model is told", async () => {
  const grants = await openGrants({
    root: "/",
    file: createJsonFile(join(workspace.root, "g.json"), grantFile, { grants: [] }),
  });
  const told: string[] = [];
  const terminal = {
    ...createTerminal(true),
    tell: (text: string) => void told.push(text),
    choose: () => new Promise<string>(() => {}),
  };
  const approver = approveInTerminal(terminal, grants, { waitMs: 20 });
  const request = {
    tool: "t",
    agent: "a",
    conversation: "c",
    callId: "1",
    input: {},
    verdicts: [],
    preview: async () => undefined,
    signal: new AbortController().signal,
  };
  expect(await approver(request)).toMatchObject({
    approved: false,
    unanswered: true,
    reason: expect.stringContaining("nobody answered"),
  });
  expect(told.at(-1)).toContain("The question expired");
});

test("rules of the configuration close parts of the workspace", async () => {
  await writeFile(
    join(workspace.root, "ikigai.config.json"),
    JSON.stringify({ rules: [{ glob: "frozen/**", permission: "read_only" }] }),
  );
  await workspace.run(["trust", "--yes"]);
  expect((await workspace.run([...write("frozen/a.txt"), "--approve", "all"])).out).toContain("read_only");
  expect((await workspace.run([...write("free/a.txt"), "--approve", "all"])).code).toBe(0);
});

describe("what belongs to a partner", () => {
  const config = (rest: object = {}): Promise<void> =>
    writeFile(
      join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai", "ikigai.config.json"),
      JSON.stringify({ rules: [{ glob: "theirs/**", permission: "partner" }], ...rest }),
    );
  beforeEach(async () => {
    await mkdir(join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai"), { recursive: true });
    await config();
  });
  const question = async (): Promise<{ id: string; question: string }> => {
    const found: { id: string; question: string }[] = [];
    await vi.waitFor(
      async () => {
        found.push(...(JSON.parse((await workspace.run(["permission", "pending", "--json"])).out) as typeof found));
        expect(found).not.toEqual([]);
      },
      { timeout: 20_000, interval: 100 },
    );
    return found.at(-1) as (typeof found)[number];
  };

  test("waits in the store until the partner answers from another process", async () => {
    const writing = workspace.run(["--approve", "all", ...write("theirs/a.txt")]);
    const { id, question: asked } = await question();
    expect(asked).toContain("create file:///theirs/a.txt");
    expect((await workspace.run(["permission", "pending"])).out).toMatch(new RegExp(`${id} +partner`));
    expect((await workspace.run(["permission", "approve", id])).code).toBe(0);
    expect((await writing).code).toBe(0);
    expect((await writing).err).toContain(`ikigai permission approve ${id}`);
    const again = await workspace.run(["permission", "deny", id]);
    expect(again.err).toContain("waits for an answer");
    expect((await workspace.run(["permission", "pending"])).out).toContain("Nobody waits");
    expect((await workspace.run(["audit", "--tool", "file_write"])).out).toMatch(
      /approved by .*, by ikigai permission/,
    );
  });

  test("is refused with the partner's reason, and when there is no answer in time", async () => {
    const writing = workspace.run(["--approve", "all", ...write("theirs/a.txt")]);
    const { id } = await question();
    await workspace.run(["permission", "deny", id, "--reason", "not on a Friday"]);
    expect((await writing).out).toContain("not on a Friday");
    await config({ answer_within_ms: 30 });
    const late = await workspace.run(["--approve", "all", ...write("theirs/b.txt")]);
    expect(late.out).toContain("the partner did not answer within 0 s");
    expect(existsSync(join(workspace.root, "theirs"))).toBe(false);
  });

  test("may be answered at the terminal, which says who is asked, or be left to the partner", async () => {
    const here = await workspace.run(write("theirs/a.txt"), { answers: ["y"] });
    expect(here.err).toMatch(/│ asks the partner/);
    expect(here.code).toBe(0);
    const left = workspace.run(write("theirs/b.txt"), { answers: ["w"] });
    const { id } = await question();
    await workspace.run(["permission", "approve", id]);
    expect((await left).code).toBe(0);
  });

  test("cannot be answered by a command of the agent itself", async () => {
    process.env["IKIGAI_CALL_ID"] = "x";
    const ran = await workspace.run(["permission", "approve", "12345678"]);
    delete process.env["IKIGAI_CALL_ID"];
    expect(ran.err).toContain("cannot answer");
  });
});

test("a question is shown also when everything else is quiet", async () => {
  const ran = await workspace.run(["--quiet", ...write(".envrc")], { answers: ["y"] });
  expect(ran.err).toMatch(/│ create file:\/\/\/\.envrc/);
});
