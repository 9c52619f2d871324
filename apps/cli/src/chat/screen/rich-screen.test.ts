import { EventEmitter, once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createVirtualTerminal } from "../testing/virtual-terminal.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { openPlainScreen } from "./plain-screen.ts";
import { openRichScreen } from "./rich-screen.ts";

interface Opened {
  readonly screen: ChatScreen;
  readonly heard: string[];
  type(text: string): Promise<void>;
  shown(): string[];
  resize(columns: number): void;
}

const NAMES = ["src/main.ts", "my notes.md"];
const COMMANDS = [
  { name: "context", description: "what was sent" },
  { name: "clear", description: "start afresh" },
];

function open(): Opened {
  const input = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const terminal = createVirtualTerminal(60);
  const output = Object.assign(new EventEmitter(), { columns: 60, write: (text: string) => terminal.write(text) });
  const heard: string[] = [];
  const screen = openRichScreen({
    input: input as never,
    output: output as never,
    colours: false,
    events: {
      onInterrupt: () => void heard.push("interrupt"),
      onUnfold: () => void heard.push("unfold"),
      findNames: async (asset, query) => (asset ? [] : NAMES.filter((name) => name.includes(query))),
      commands: (prefix) => COMMANDS.filter(({ name }) => name.startsWith(prefix)),
    },
  });
  return {
    screen,
    heard,
    shown: () => [...terminal.lines],
    async type(text) {
      input.write(text);
      // Keys are heard and names are found in later turns of the loop.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    resize(columns) {
      output.columns = columns;
      output.emit("resize");
    },
  };
}

test("typing, sending and asking share one input", async () => {
  const { screen, type, shown, heard } = open();
  screen.setStatus("status");
  screen.setLive(["working"]);
  await type("hello");
  expect(shown()).toEqual(["working", "> hello", "status"]);
  const asked = screen.ask("Sure? ");
  await type("y");
  expect(shown()).toEqual(["working", "Sure? y"]);
  await type("\u0006\u000f\r");
  expect(await asked).toBe("y");
  expect(shown()).toEqual(["Sure? y", "working", "> hello", "status"]);
  await type("\r");
  expect((await screen.next())?.text).toBe("hello");
  const long = screen.ask("A question that is longer than half of the terminal is wide. ");
  await type("\u0003");
  expect(await long).toBe("");
  expect(heard).toEqual(["interrupt"]);
  screen.refuseQuestions(true);
  expect(await screen.ask("Refused? ")).toBe("");
  screen[Symbol.dispose]();
});

test("names and commands are offered, chosen and taken", async () => {
  const { screen, type, shown } = open();
  await type("@");
  expect(shown()).toEqual(["> @", "  src/main.ts", "  my notes.md"]);
  await type("\u001b[B\u001b[A\u001b[B\t");
  expect(shown()).toEqual(['> @"my notes.md"']);
  await type("\u0015/c");
  expect(shown()).toEqual(["> /c", "  /context  what was sent", "  /clear  start afresh"]);
  await type("\t");
  expect(shown()).toEqual(["> /context"]);
  await type("\r");
  expect((await screen.next())?.text).toBe("/context ");
  await type("see\u0006");
  expect(shown()[1]).toBe("> see @");
  screen.refresh();
  await type("\u0015\u0014");
  expect(shown().at(-1)).toBe("> @@");
  screen[Symbol.dispose]();
});

test.each(["/c", "see @"])("what Esc closed stays closed until something is typed: %s", async (typed) => {
  const { screen, type, shown } = open();
  await type(typed);
  expect(shown().length).toBeGreaterThan(1);
  await type("\u001b");
  await expect.poll(() => shown()).toEqual([`> ${typed}`]);
  screen.refresh();
  await type("");
  expect(shown()).toEqual([`> ${typed}`]);
  await type("l\u007f");
  expect(shown().length).toBeGreaterThan(1);
  screen[Symbol.dispose]();
});

test("history, lines and leaving", async () => {
  const { screen, type, shown, resize, heard } = open();
  await type("one\r");
  await type("two\\\rmore\u001b[A\u001b[A");
  expect(shown().at(-1)).toBe("> one");
  await type("\u001b[B");
  expect(shown().slice(-2)).toEqual(["> two", "  more"]);
  resize(30);
  await type("\u0003\u0003\u000f");
  expect(heard).toEqual(["interrupt", "unfold"]);
  expect((await screen.next())?.text).toBe("one");
  const leaving = screen.next();
  await type("x\u001b[H\u0004\u0004");
  expect(await leaving).toBeUndefined();
  await type("\r\u000c");
  screen.push("pushed");
  expect((await screen.next())?.text).toBe("pushed");
  screen[Symbol.dispose]();
});

test("a plain screen takes lines, joins those that go on, and ends with its input", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  let interrupted = 0;
  const screen = openPlainScreen(input, output, { onInterrupt: () => void interrupted++ });
  const first = screen.next();
  input.write("one\\\ntwo\n");
  expect((await first)?.text).toBe("one\ntwo");
  const asked = screen.ask("Sure? ");
  input.write("yes\n");
  expect(await asked).toBe("yes");
  const pending = screen.ask("Again? ");
  process.emit("SIGINT");
  expect([await pending, interrupted]).toEqual(["", 1]);
  screen.refuseQuestions(true);
  expect(await screen.ask("No? ")).toBe("");
  screen.print("a line");
  screen.setLive([]);
  screen.setStatus("");
  screen.refresh();
  screen.push("pushed");
  expect((await screen.next())?.text).toBe("pushed");
  const last = screen.next();
  input.end();
  expect(await last).toBeUndefined();
  screen[Symbol.dispose]();
  output.end();
  await once(output.resume(), "end");
});
