import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastUser, READY, results, useChats } from "./testing/use-chats.ts";

const chats = useChats();
const count = (screen: string, wanted: RegExp): number => [...screen.matchAll(wanted)].length;

test("words stay whole, tables are drawn, and code is printed as it was written", async () => {
  const prose = "Every sentence of this answer is longer than the terminal is wide, so that it has to be broken.";
  const answer = `${prose}\n\n| file | lines |\n|---|--:|\n| a.ts | 12 |\n\n\`\`\`ts\nconst a = 1;\n  return a;\n\`\`\`\n`;
  await using chat = await chats.open(() => ({ text: answer }), [], { columns: 60 });
  const { pty } = chat;
  await pty.see(READY);
  pty.type("go\r");
  const screen = await pty.see(/return a;\n───/);
  expect(screen).toContain(
    "Every sentence of this answer is longer than the terminal\nis wide, so that it has to be broken.\n",
  );
  expect(screen).toContain("file │ lines\n─────┼──────\na.ts │    12\n");
  expect(screen).toContain("─── ts\nconst a = 1;\n  return a;\n───\n");
});

test("a finder, a long message and a busy turn leave no frame behind in a terminal of 8 rows", async () => {
  for (let at = 0; at < 12; at++) await writeFile(join(chats.root, `file-${at}.md`), "x");
  await using chat = await chats.open(
    (request) =>
      results(request).length === 0
        ? { text: "a\n\nb", calls: [{ name: "file_read", input: { path: "file-1.md" } }] }
        : { text: "all done" },
    [],
    { rows: 8 },
  );
  const { pty } = chat;
  await pty.see(READY);
  pty.type("several\u001b\rlines\u001b\rof\u001b\rtext\u001b\rwith @file");
  await pty.see(/file-5\.md/);
  for (const key of ["-", "1", "\u001b[B", "\u001b[A", "\u001b"]) pty.type(key);
  await pty.see(/with @file-1\nlocal/);
  pty.type(" \r");
  const screen = await pty.see(/all done[\s\S]*\n>\nlocal\S* ·/);
  expect(count(screen, /3 sources/g)).toBe(1);
  expect(count(screen, /with @file-1/g)).toBe(1);
  expect(count(screen, /^ {2}file-\d/gm)).toBe(0);
});

test("resizing leaves one frame, however often and to whatever size", async () => {
  await using chat = await chats.open((request) => ({ text: `heard ${lastUser(request).length}` }), [], { rows: 20 });
  const { pty } = chat;
  await pty.see(READY);
  const typed = "a message that takes some rows when there is little room for it, and one when there is much";
  pty.type(typed);
  await pty.see(/> a message/);
  const sizes = [
    [40, 20],
    [120, 30],
    [30, 12],
    [31, 12],
    [90, 20],
    [24, 10],
    [100, 20],
  ] as const;
  for (const [at, [columns, rows]] of sizes.entries()) {
    pty.resize(columns, rows);
    pty.type("!");
    await pty.see(new RegExp(`much!{${at + 1}}\\nlocal/scripted`));
  }
  const screen = await pty.see(/much!{7}\n/);
  expect(count(screen, /a message/g)).toBe(1);
  expect(count(screen, /local\/scripted/g)).toBe(1);
  pty.type("\r");
  await pty.see(new RegExp(`heard ${typed.length + 7}`));
});

test("/help fits 80 columns", async () => {
  await using chat = await chats.open(() => ({ text: "never" }), [], { columns: 80 });
  const { pty } = chat;
  await pty.see(READY);
  pty.type("/help\r");
  const screen = await pty.see(/Ctrl-Z stops the program/);
  // The terminal breaks what does not fit, so that a line of the help would go on at the beginning of the next.
  const help = screen.slice(screen.indexOf("> /help\n") + "> /help\n".length);
  for (const line of help.split("\n")) expect(line.length).toBeLessThan(80);
  for (const line of help.slice(0, help.indexOf("@path")).trim().split("\n"))
    expect(line).toMatch(/^(\/[a-z]| {2,}\S)/);
});

test("--continue folds long texts", async () => {
  const long = Array.from({ length: 200 }, (_, at) => `line ${at} of the answer`).join("\n");
  {
    await using chat = await chats.open(() => ({ text: long }));
    await chat.pty.see(READY);
    chat.pty.type("tell me all\r");
    await chat.pty.see(/line 199 of the answer/);
    chat.pty.type("\u0004");
    expect(await chat.pty.exited).toBe(0);
  }
  await using again = await chats.open(() => ({ text: "more" }), ["--continue"]);
  const screen = await again.pty.see(/192 more lines[\s\S]*3 sources/);
  expect(screen).toContain("> tell me all\n");
  expect(screen).toContain("line 7 of the answer\n… 192 more lines");
  expect(screen).not.toContain("line 50");
});

test("the finder finds a file that was made after the start, also while somebody waits", async () => {
  await writeFile(join(chats.root, "old.md"), "");
  await using chat = await chats.open(() => ({ text: "seen" }));
  const { pty } = chat;
  await pty.see(READY);
  pty.type("@");
  await pty.see(/^ {2}old\.md$/m);
  await writeFile(join(chats.root, "brand-new.md"), "the new text");
  await pty.see(/^ {2}brand-new\.md$/m);
  pty.type("bra");
  await pty.see(/^> @bra\n {2}brand-new\.md\nlocal/m);
  pty.type("\t\r");
  await pty.see(/\+ file:\/\/\/brand-new\.md \(1 line\)[\s\S]*seen/);
});
