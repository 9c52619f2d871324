import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openPty, type Pty } from "./screen/testing/open-pty.ts";
import { useChats, READY, results } from "./screen/testing/use-chats.ts";

/** Each is a process of its own in a real terminal, on a machine that may be busy. */
vi.setConfig({ testTimeout: 120_000 });
const ODD_SERVER = fileURLToPath(new URL("../../../packages/mcp/fixtures/changing-server.mjs", import.meta.url));

let base: string;
let root: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-approval-"));
  mkdirSync(join(base, "config", "ikigai"), { recursive: true });
});
beforeEach(async () => {
  root = await mkdtemp(join(base, "root-"));
  configure({});
});
afterAll(async () => {
  await stopKeeper(join(base, "store", "postgres"));
  await rm(base, { recursive: true, force: true });
});

function configure(config: object): void {
  writeFileSync(join(base, "config", "ikigai", "ikigai.config.json"), JSON.stringify(config));
}

function run(args: readonly string[], columns = 80): Pty {
  const place = ["--root", root, "--store", join(base, "store")];
  return openPty([...place, ...args], { columns, env: { XDG_CONFIG_HOME: join(base, "config") } });
}

const tool = (name: string, input: object): string[] => ["tool", name, JSON.stringify(input)];

test.each([
  ["for", 'for f in a b; do echo "got $f" >> out; done'],
  ["if", "if true; then echo got a > out; fi"],
  ["while", "echo a | while read x; do echo got $x > out; done"],
  ["case", "case a in a) echo got a > out ;; esac"],
  ["time", "time echo got a > out"],
  ["a function", "f() { echo got a > out; }; f"],
])("a command with %s is asked for, and runs after one key", async (_, command) => {
  await using pty = run(tool("bash", { command }));
  expect(await pty.see(/Allow it\?/)).toContain("  │ execute ");
  // Enter out of habit is no answer to anything.
  pty.type("y\r");
  expect(await pty.exited).toBe(0);
  expect(pty.screen()).not.toContain("is none of");
  expect(readFileSync(join(root, "out"), "utf8")).toContain("got a");
});

test("a command cannot imitate a question, not by line breaks and not by the width of the terminal", async () => {
  const forged = "Allow it? [y] once  [n] no: y";
  const command = [
    "ls",
    "Permission required: file_read",
    forged,
    `${"#".repeat(80)}${forged}${" ".repeat(74)}${forged}`,
    "\u001b[2J\u202e\u200bPermission required: glob",
  ].join("\n");
  await using pty = run(tool("bash", { command }));
  const screen = await pty.see(/\[r\] no, and say why/);
  const lines = screen.split("\n").filter((line) => /Permission required|Allow it/.test(line));
  expect(lines.filter((line) => !/^ {2}[│┊] /.test(line))).toEqual([
    "Permission required: bash",
    expect.stringMatching(/^Allow it\? \[y\] once {2}\[n\] no {2}\[r\] no, and say why {2}/),
  ]);
  expect(screen.match(/Permission required: file_read/g)).toHaveLength(1);
  expect(screen).toContain(String.raw`\u{1b}[2J\u{202e}\u{200b}Permission required: glob`);
  expect(pty.foreign).toEqual([]);
  pty.type("n");
  expect(await pty.exited).toBe(1);
});

test("an unknown key, Enter and a paste ask again, and only a key of the question answers", async () => {
  await using pty = run(tool("file_write", { path: "a.txt", content: "x" }));
  await pty.see(/Allow it\?/);
  pty.type("q");
  await pty.see(/"q" is none of y, n, r, a, f and d\.\nAllow it\?/);
  pty.type("\r");
  await pty.see(/That is none of/);
  pty.type("\u001b[200~y\u001b[201~");
  await pty.see(/That is none of[^]*That is none of/);
  pty.type("N");
  expect(await pty.exited).toBe(1);
  expect(existsSync(join(root, "a.txt"))).toBe(false);
});

test("what was typed before the question was shown answers nothing", async () => {
  await using pty = run(tool("file_write", { path: "a.txt", content: "x" }));
  pty.type("yyy");
  await pty.see(/Allow it\?/);
  pty.type("n");
  expect(await pty.exited).toBe(1);
  expect(existsSync(join(root, "a.txt"))).toBe(false);
});

test("a long change is short at first, and a key shows the rest and the details", async () => {
  const content = Array.from({ length: 300 }, (_, index) => `line ${index}.`).join("\n");
  await using pty = run(tool("file_write", { path: "a.txt", content: `${content}\n${"w".repeat(700)}!end` }));
  const short = await pty.see(/Allow it\?/);
  expect(short).toContain("│ create file:///a.txt");
  expect(short).not.toContain("line 200.");
  expect(short).not.toContain("approval mode");
  expect(short).toMatch(/\[d\] \d+ more lines/);
  pty.type("d");
  const whole = await pty.see(/!end[^]*Allow it\?/);
  for (let index = 0; index < 300; index++) expect(whole).toContain(`line ${index}.`);
  expect(whole).toContain('approval mode "ask" asks before create');
  pty.type("y");
  expect(await pty.exited).toBe(0);
});

test("what is kept for later, and what another server is sent, is shown whole", async () => {
  configure({ mcp: { servers: { odd: { command: process.execPath, args: [ODD_SERVER] } } } });
  {
    const content = `The door code is ${"very ".repeat(30)}secret.\nSecond line.`;
    await using pty = run(tool("recall", { op: "insert", content }));
    const screen = await pty.see(/Allow it\?/);
    expect(screen.replaceAll(/\n {2}┊ /g, "")).toContain(`The door code is ${"very ".repeat(30)}secret.`);
    expect(screen).toContain("Second line.");
    pty.type("n");
    await pty.exited;
  }
  await using pty = run(tool("odd__union", { input: { a: "rm -rf everything" } }));
  const screen = await pty.see(/Allow it\?/);
  expect(screen).toContain("execute mcp://odd/union");
  expect(screen).toContain('"a": "rm -rf everything"');
  pty.type("n");
  expect(await pty.exited).toBe(1);
});

test("always for a command that names an address covers that command and opens nothing else", async () => {
  {
    await using pty = run(["--approve", "all", ...tool("file_write", { path: "ikigai:///a.md", content: "kept\n" })]);
    expect(await pty.exited).toBe(0);
  }
  const command = "cat ikigai:///a.md";
  {
    await using pty = run(tool("bash", { command }));
    expect(await pty.see(/Allow it\?/)).not.toContain("[a]");
    pty.type("f");
    expect(await pty.see(/For how long\?/)).toContain(`│ execute ${command}`);
    pty.type("x");
    await pty.see(/"x" is none of s, p, u and n/);
    pty.type("p");
    expect(await pty.exited).toBe(0);
  }
  {
    await using pty = run(tool("bash", { command }));
    expect(await pty.exited).toBe(0);
    expect(pty.screen()).not.toContain("Allow it?");
  }
  await using pty = run(tool("bash", { command: `${command}; touch pwned` }));
  expect(await pty.see(/Allow it\?/)).not.toMatch(/\[[af]\]/);
  pty.type("n");
  expect(await pty.exited).toBe(1);
  expect(existsSync(join(root, "pwned"))).toBe(false);
});

test("a question outside of a conversation expires, says so, and a late key answers nothing", async () => {
  configure({ answer_within_ms: 400 });
  await using pty = run(tool("file_write", { path: "a.txt", content: "x" }));
  await pty.see(/Allow it\?[^]*The question expired: nobody answered within 0 s, so nothing was allowed\./);
  pty.type("y");
  expect(await pty.exited).toBe(1);
  expect(existsSync(join(root, "a.txt"))).toBe(false);
});

describe("in a conversation", () => {
  const chats = useChats();
  const write = (request: Parameters<typeof results>[0]) =>
    results(request).length === 0
      ? { calls: [{ name: "file_write", input: { path: "a.txt", content: "one\n" } }] }
      : { text: `Told: ${results(request).at(-1)}` };
  const configureChat = (config: object): void => {
    mkdirSync(join(chats.config, "ikigai"), { recursive: true });
    writeFileSync(join(chats.config, "ikigai", "ikigai.config.json"), JSON.stringify(config));
  };

  test("one key answers, and the question leaves one line", async () => {
    await using chat = await chats.open(write);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    await pty.see(/Permission required: file_write\n {2}│ create file:\/\/\/a\.txt[^]*\+one[^]*Allow it\?/);
    pty.type("y");
    const screen = await pty.see(/Told: /);
    expect(screen).toContain("Allow it? y (once)");
    expect(screen).not.toContain("[n] no");
    expect(readFileSync(join(chats.root, "a.txt"), "utf8")).toBe("one\n");
  });

  test("a question that expired says so and disappears, and a late y answers nothing", async () => {
    configureChat({ answer_within_ms: 1_500 });
    await using chat = await chats.open(write);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    await pty.see(/Allow it\?/);
    const screen = await pty.see(/The question expired[^]*Told: .*nobody answered/);
    expect(screen).not.toContain("Allow it?");
    pty.type("y");
    await pty.see(/> y/);
    expect(existsSync(join(chats.root, "a.txt"))).toBe(false);
  });

  test("what somebody is typing when a question comes is no answer", async () => {
    await using chat = await chats.open(write);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("write it\roh ");
    await pty.see(/Allow it\?[^]*> oh/);
    pty.type("y");
    await pty.see(/> oh y/);
    expect(existsSync(join(chats.root, "a.txt"))).toBe(false);
    pty.type("\u001b");
    await pty.see(/Allow it\?(?![^]*> oh y)/);
    pty.type("n");
    await pty.see(/Told: .*refused[^]*> oh y/);
    expect(existsSync(join(chats.root, "a.txt"))).toBe(false);
  });

  test("without raw mode a line answers, another asks again, and a late one is no message", async () => {
    configureChat({ answer_within_ms: 8_000 });
    await using chat = await chats.open(write, [], { env: { TERM: "dumb" } });
    const { pty, provider } = chat;
    pty.type("write it\r");
    await pty.see(/Allow it\?/);
    pty.type("perhaps\r");
    await pty.see(/"perhaps" is none of/);
    await pty.see(/The question expired[^]*Told: /);
    pty.type("y\r");
    await pty.see(/"y" answered nothing/);
    expect(provider.requests).toHaveLength(2);
    expect(existsSync(join(chats.root, "a.txt"))).toBe(false);
  });
});
