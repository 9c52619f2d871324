import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPolicy } from "@ikigai/core/host";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commandGrant } from "../command/command-rules.ts";
import { countSleepers, uniqueSeconds } from "../testing/sleepers.ts";
import { openTestHost, type TestHost } from "../testing/test-host.ts";

let host: TestHost;
beforeAll(async () => {
  host = await openTestHost({ jobs: { maxOutputChars: 2_000 } });
});
afterAll(() => host[Symbol.asyncDispose]());

test("bash answers with output and exit code, and any exit code is a success", async () => {
  expect(await host.call("bash", { command: "echo out; echo err >&2; exit 3" })).toEqual({
    success: true,
    data: { output: "out\nerr\n", exit_code: 3 },
  });
});

test("bash says which signal ended a command", async () => {
  expect(await host.data("bash", { command: "kill -SEGV $$" })).toMatchObject({ exit_code: 139, signal: "SIGSEGV" });
});

test("/dev/stdout and /dev/stderr can be opened", async () => {
  const { output } = await host.data("bash", { command: "echo a > /dev/stderr; echo b | tee /dev/stderr" });
  expect(output).toBe("a\nb\nb\n");
});

test("a command of bash has an empty standard input", async () => {
  expect(await host.data("bash", { command: "cat; read x; echo end" })).toMatchObject({ output: "end\n" });
});

test("a mkfifo that stands first in PATH is neither run nor shown the environment", async () => {
  const { PATH } = process.env;
  const bin = join(host.root, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  const heard = join(host.root, "heard");
  writeFileSync(join(bin, "mkfifo"), `#!/bin/sh\nenv > '${heard}'\nexec /usr/bin/mkfifo "$@"\n`, { mode: 0o755 });
  Object.assign(process.env, { PATH: `${bin}:${PATH}`, OPENAI_API_KEY: "sk-secret" });
  try {
    expect(await host.data("bash", { command: "echo done" })).toMatchObject({ output: "done\n" });
    expect(existsSync(heard)).toBe(false);
  } finally {
    process.env["PATH"] = PATH;
    delete process.env["OPENAI_API_KEY"];
    rmSync(join(host.root, "node_modules"), { recursive: true });
  }
});

test("a command gets the listed environment and nothing else", async () => {
  await using other = await openTestHost({
    jobs: {
      environment: {
        from: {
          PATH: `/x/bin:rel::${process.env["PATH"]}`,
          HOME: "/home/me",
          API_KEY: "secret",
          BASH_ENV: "/evil",
          EXTRA: "e",
        },
        pass: ["EXTRA"],
        set: { CI: "1" },
      },
    },
  });
  const { output } = await other.data("bash", { command: "env" });
  const names = (output as string)
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("=")[0]);
  expect(new Set(names)).toEqual(
    new Set("CI EXTRA GIT_PAGER GIT_TERMINAL_PROMPT HOME IKIGAI_CALL_ID PAGER PATH PWD SHLVL TERM _".split(" ")),
  );
  expect(output).toContain("TERM=dumb");
  expect(output).not.toMatch(/PATH=.*(rel|::)/);
});

test("a program of the workspace does not stand in for one of the system", async () => {
  const bin = join(host.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ls"), "#!/bin/sh\necho evil\n", { mode: 0o755 });
  writeFileSync(join(bin, "mine"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
  await using other = await openTestHost({
    jobs: { root: host.root, environment: { from: { PATH: `${bin}:/usr/bin:/bin` } } },
  });
  expect(await other.data("bash", { command: "ls bin; mine" })).toMatchObject({ output: "ls\nmine\nmine\n" });
});

test("no start-up file of a shell is read", async () => {
  writeFileSync(join(host.root, ".bashrc"), "echo evil\n");
  await using other = await openTestHost({ jobs: { environment: { set: { HOME: host.root } } } });
  expect(await other.data("bash", { command: "echo hi" })).toMatchObject({ output: "hi\n" });
});

test("bash runs in the workspace, in a folder of it, and nowhere else", async () => {
  mkdirSync(join(host.root, "sub"));
  symlinkSync("/etc", join(host.root, "link"));
  expect(await host.data("bash", { command: "pwd" })).toMatchObject({ output: `${host.root}\n` });
  expect(await host.data("bash", { command: "pwd", cwd: "sub" })).toMatchObject({ output: `${host.root}/sub\n` });
  for (const cwd of ["..", "/etc", "link", "sub/../.."]) {
    expect(await host.call("bash", { command: "pwd", cwd })).toMatchObject({ code: "permission_denied" });
  }
  expect(await host.call("bash", { command: "pwd", cwd: "absent" })).toMatchObject({ code: "not_found" });
});

test("the effect of bash is the command that runs", async () => {
  await using asking = await openTestHost({ policy: () => createPolicy() });
  const answer = await asking.call("bash", { command: "echo hi" });
  expect(answer).toMatchObject({ success: false, code: "permission_denied" });
  expect(JSON.stringify(answer)).toContain("execute echo hi");
  const elsewhere = await asking.call("bash", { command: "echo hi", cwd: "a'b" });
  expect(elsewhere).toMatchObject({ error: expect.stringContaining(String.raw`execute cd 'a'\''b' && echo hi`) });
});

test("the command and its folder are fields of the effect, for whoever judges it", async () => {
  await using ruled = await openTestHost();
  const plan = await ruled.registry.plan({ name: "bash", arguments: { command: "make", cwd: "a b" } });
  expect(plan.effects).toEqual([{ action: "execute", target: "cd 'a b' && make", command: "make", cwd: "a b" }]);
  const inRoot = await ruled.registry.plan({ name: "bash", arguments: { command: "make" } });
  expect(inRoot.effects).toEqual([{ action: "execute", target: "make" }]);
});

test("a rule for a command does not cover it in another folder", async () => {
  await using ruled = await openTestHost({
    policy: () => createPolicy({ grants: () => [commandGrant(["npm test", "echo"])] }),
  });
  expect(await ruled.call("bash", { command: "echo hi" })).toMatchObject({ success: true });
  expect(await ruled.call("bash", { command: "echo hi", cwd: "vendor" })).toMatchObject({ code: "permission_denied" });
});

test("long output keeps its beginning and end, and the whole is in a file", async () => {
  const data = await host.data("bash", { command: "seq 1 20000" });
  const kept = data["kept"] as { path: string; bytes: number; total_bytes: number };
  expect(data["output"]).toMatch(/^1\n2\n3\n[\s\S]*\[… \d+ bytes left out …\][\s\S]*\n20000\n$/);
  expect(JSON.stringify(data["output"]).length).toBeLessThanOrEqual(2_000);
  const whole = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
  expect(kept).toMatchObject({ bytes: whole.length, total_bytes: whole.length });
  expect(readFileSync(kept.path, "utf8")).toBe(whole);
});

test("kept outputs stay where the host wants them, and go with it otherwise", async () => {
  const outputDir = join(host.root, "outputs");
  const passing = await openTestHost({ jobs: { maxOutputChars: 1_000 } });
  const other = await openTestHost({ jobs: { outputDir, maxOutputChars: 1_000 } });
  const kept = (await other.data("bash", { command: "seq 1 5000" }))["kept"] as { path: string };
  const gone = (await passing.data("bash", { command: "seq 1 5000" }))["kept"] as { path: string };
  await other[Symbol.asyncDispose]();
  await passing[Symbol.asyncDispose]();
  expect(existsSync(kept.path)).toBe(true);
  expect(existsSync(gone.path)).toBe(false);
});

test("output that is no text becomes text, and escape sequences stay data", async () => {
  const { output } = await host.data("bash", { command: "printf 'a\\377\\000b\\033[31mc\\303\\251'" });
  expect(output).toBe("a\uFFFD\uFFFDb\x1b[31mc\u00e9");
  const random = await host.data("bash", { command: "head -c 100000 /dev/urandom" });
  expect((random["output"] as string).isWellFormed()).toBe(true);
  expect(JSON.stringify(random["output"]).length).toBeLessThanOrEqual(2_000);
  expect(random["kept"]).toMatchObject({ bytes: 100_000 });
});

test("a flood costs bounded memory", async () => {
  const before = process.memoryUsage().rss;
  const data = await host.data("bash", { command: "yes | head -c 100000000" });
  expect(data["kept"]).toMatchObject({ total_bytes: 100_000_000 });
  expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
});

test("the result does not wait for what a background child holds open", async () => {
  const seconds = uniqueSeconds();
  const answer = await host.data("bash", { command: `sleep ${seconds} & echo ready` });
  expect(answer).toMatchObject({ output: "ready\n", exit_code: 0, still_running: 1 });
  expect(countSleepers(seconds)).toBe(1);
  expect(await host.data("bash_jobs", { op: "kill", job: answer["job"] })).toMatchObject({ state: "ended" });
  expect(countSleepers(seconds)).toBe(0);
});

test("bash reports progress while a command runs", async () => {
  const heard: string[] = [];
  const onProgress = (message: string): void => void heard.push(message);
  writeFileSync(join(host.root, "go"), "");
  const answer = host.data(
    "bash",
    { command: "echo one; while [ -e go ]; do sleep 0.05; done; echo two" },
    { onProgress },
  );
  await vi.waitFor(() => expect(heard).toEqual(["one\n"]));
  await host.data("bash", { command: "rm go" });
  await answer;
  expect(heard).toEqual(["one\n", "two\n"]);
});

test("a shell that cannot be started is an error, and leaves nothing", async () => {
  await using broken = await openTestHost({ jobs: { shell: "/no/such/shell" } });
  expect(await broken.call("bash", { command: "true" })).toMatchObject({ success: false, code: "unavailable" });
});

test("a call that was aborted before it began starts nothing", async () => {
  const answer = await host.call("bash", { command: "touch made" }, { signal: AbortSignal.abort() });
  expect(answer).toMatchObject({ code: "aborted" });
  expect(existsSync(join(host.root, "made"))).toBe(false);
});

test("only so many commands run at once, and none after closing", async () => {
  await using small = await openTestHost({ jobs: { maxRunning: 1 } });
  const { job } = await small.data("bash", { command: "sleep 1000", background: true });
  expect(await small.call("bash", { command: "true" })).toMatchObject({ code: "unavailable" });
  await small.data("bash_jobs", { op: "kill", job });
  expect(await small.data("bash", { command: "true" })).toMatchObject({ exit_code: 0 });
  await small.jobs.close();
  expect(await small.call("bash", { command: "true" })).toMatchObject({ code: "unavailable" });
});

test("a preview says where a command runs; the command itself is its effect", async () => {
  const { createBashTool } = await import("./bash-tool.ts");
  const tool = createBashTool({ jobs: host.jobs });
  const context = { agent: "a", conversation: "c", callId: "1", tool: "bash", signal: new AbortController().signal };
  expect(await tool.preview?.({ command: "make", cwd: "sub" }, context)).toEqual({ description: "Run in sub" });
  expect(await tool.preview?.({ command: "make", background: true }, context)).toEqual({
    description: "Start in the background in .",
  });
});

test("bash runs nothing without a watchdog", async () => {
  await using unguarded = await openTestHost();
  const { execPath } = process;
  process.execPath = "/no/such/node";
  try {
    expect(await unguarded.call("bash", { command: "touch made" })).toMatchObject({ code: "unavailable" });
  } finally {
    process.execPath = execPath;
  }
  expect(existsSync(join(unguarded.root, "made"))).toBe(false);
});

test("bash is not offered where there is no POSIX shell", async () => {
  const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
  Object.defineProperty(process, "platform", { ...platform, value: "win32" });
  try {
    expect(await host.call("bash", { command: "true" })).toMatchObject({ code: "unsupported" });
  } finally {
    Object.defineProperty(process, "platform", platform);
  }
});
