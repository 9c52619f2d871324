import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openPlain, openRich, type OpenedScreen } from "../testing/open-screens.ts";
import { openPlainScreen } from "./plain-screen.ts";

const NAMES = ["src/main.ts", "my notes.md"];
const COMMANDS = [
  { name: "context", description: "what was sent" },
  { name: "clear", description: "start afresh" },
];

function open(): OpenedScreen {
  return openRich({
    findNames: async (asset, query) => (asset ? [] : NAMES.filter((name) => name.includes(query))),
    commands: (prefix) => COMMANDS.filter(({ name }) => name.startsWith(prefix)),
  });
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

test("a queued message can be taken back in a terminal that only has lines", async () => {
  using opened = openPlain();
  const { screen, type, shown } = opened;
  await type("one\ntwo\n");
  expect(shown().join("\n")).toContain("/unsend takes it back");
  await type("/unsend\n");
  expect(shown()).toContain("(taken back: two)");
  expect((await screen.next())?.text).toBe("one");
  await type("/unsend\n");
  expect(shown().join("\n")).toContain("(nothing is queued)");
  const next = screen.next();
  await type("three\n");
  expect((await next)?.text).toBe("three");
});

test("what is printed while a plain screen waits begins on a row of its own", async () => {
  using opened = openPlain();
  const { screen, type, shown } = opened;
  void screen.next();
  screen.print("told meanwhile");
  await type("");
  expect(shown()).toEqual(["> ", "told meanwhile", ""]);
});

/** A finder that answers when it is told to. */
function slowFinder(): {
  findNames: (asset: boolean, query: string) => Promise<string[]>;
  answer: (query: string) => void;
} {
  const waiting = new Map<string, () => void>();
  return {
    findNames: async (_asset, query) => {
      if (query !== "") await new Promise<void>((resolve) => waiting.set(query, resolve));
      return [`every-${query}.ts`];
    },
    answer: (query) => waiting.get(query)?.(),
  };
}

test("Tab faster than the finder takes the name for what was typed, and the keys behind it keep their order", async () => {
  const finder = slowFinder();
  using opened = openRich({ findNames: finder.findNames });
  const { screen, type, shown } = opened;
  await type("@");
  expect(shown()).toContain("  every-.ts");
  await type("m");
  await type("\t");
  await type("now");
  expect(shown()[0]).toBe("> @m");
  finder.answer("m");
  await type("");
  expect(shown()[0]).toBe("> @every-m.ts now");
  await type("\r");
  expect((await screen.next())?.text).toBe("@every-m.ts now");
});

test("Enter faster than the finder takes the name, and Ctrl-C while it waits clears the line", async () => {
  const finder = slowFinder();
  using opened = openRich({ findNames: finder.findNames });
  const { type, shown } = opened;
  await type("@m");
  await type("\r");
  finder.answer("m");
  await type("");
  expect(shown()[0]).toBe("> @every-m.ts");
  await type(" @x");
  await type("\r");
  await type("\u0003");
  finder.answer("x");
  await type("");
  expect(shown()).toEqual([">"]);
});
