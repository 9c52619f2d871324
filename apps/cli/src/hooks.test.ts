import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeSharedStore, openWorkspace } from "./testing/open-workspace.ts";

/** The first opens the store, on a machine that may be busy. */
vi.setConfig({ testTimeout: 90_000 });

let workspace: Awaited<ReturnType<typeof openWorkspace>>;
beforeEach(async () => {
  workspace = await openWorkspace();
});
afterEach(() => workspace.close());
afterAll(closeSharedStore);

async function configure(hooks: object): Promise<void> {
  const folder = join(process.env["XDG_CONFIG_HOME"] ?? "", "ikigai");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ikigai.config.json"), JSON.stringify({ hooks }));
}

/** A hook that writes down what it is told, and then answers. */
async function recording(file: string, answer = ""): Promise<string[]> {
  const script = join(workspace.root, `${file}.mjs`);
  await writeFile(
    script,
    `import { appendFileSync } from "node:fs";
let text = "";
for await (const part of process.stdin) text += part;
appendFileSync(${JSON.stringify(join(workspace.root, file))}, text);
process.stdout.write(${JSON.stringify(answer)});
`,
  );
  return [process.execPath, script];
}

const told = async (file: string): Promise<unknown[]> =>
  (await readFile(join(workspace.root, file), "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

test("a hook before is told phase, tool, agent, conversation, call, arguments and effects, and one after the answer", async () => {
  await configure({
    before: [{ command: await recording("before"), tools: ["file_write"] }],
    after: [{ command: await recording("after") }],
  });
  await workspace.run(["--approve", "all", "tool", "file_write", '{"path":"a.md","content":"x"}']);
  await workspace.run(["tool", "file_read", '{"path":"none.md"}']);
  const [before, ...others] = await told("before");
  expect(others).toEqual([]);
  expect(before).toEqual({
    phase: "before",
    tool: "file_write",
    agent: "default",
    conversation: expect.any(String) as string,
    callId: expect.any(String) as string,
    input: expect.objectContaining({ path: "a.md", content: "x" }) as object,
    effects: [{ action: "create", target: "file:///a.md" }],
  });
  const { callId } = before as { callId: string };
  expect(await told("after")).toEqual([
    {
      phase: "after",
      tool: "file_write",
      agent: "default",
      conversation: expect.any(String) as string,
      callId,
      envelope: { success: true, data: expect.anything() as unknown },
    },
    expect.objectContaining({
      phase: "after",
      tool: "file_read",
      envelope: expect.objectContaining({ success: false, code: "not_found" }) as object,
    }) as object,
  ]);
});

test("hooks run in order, and the first that denies ends it with its reason", async () => {
  await configure({
    before: [
      { command: await recording("one", '{"decision":"allow"}') },
      { command: await recording("two", '{"decision":"deny","reason":"closed on Fridays"}') },
      { command: await recording("three") },
    ],
  });
  const ran = await workspace.run(["--approve", "all", "tool", "file_write", '{"path":"a.md","content":"x"}']);
  expect(JSON.parse(ran.out)).toEqual({
    success: false,
    code: "permission_denied",
    error: "A hook denied file_write: closed on Fridays. Do not retry; ask the user.",
  });
  expect(await told("two")).toHaveLength(1);
  await expect(told("three")).rejects.toThrow("ENOENT");
});

test("a hook that fails names itself and its exit code: before it denies, after it is told and changes nothing", async () => {
  const failing = [process.execPath, "-e", "console.error('no licence'); process.exit(3)"];
  const what = "-e console.error('no licence'); process.exit(3) failed: it ended with exit code 3: no licence";
  await configure({ before: [{ command: failing }] });
  const denied = await workspace.run(["tool", "file_read", '{"path":"none.md"}']);
  expect(JSON.parse(denied.out)).toMatchObject({
    code: "permission_denied",
    error: expect.stringContaining(what) as string,
  });
  await configure({ after: [{ command: failing }] });
  const told = await workspace.run(["--approve", "all", "tool", "file_write", '{"path":"b.md","content":"x"}']);
  expect(told.code).toBe(0);
  expect(told.err).toContain("after file_write: the hook");
  expect(told.err).toContain(what);
});
