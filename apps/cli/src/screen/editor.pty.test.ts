import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NormalisedRequest, Script } from "@ikigai/agent/testing";
import { describe, expect, test } from "vitest";
import { type Chat, heard, lastUser, READY, useChats } from "./testing/use-chats.ts";

const chats = useChats();
const echo: Script = (request, at) => ({ text: `answer ${at}: ${lastUser(request).length} characters` });
const sent = ({ provider }: Chat, at: number): string => lastUser(provider.requests[at] as NormalisedRequest);
const pasted = (text: string): string => `\u001b[200~${text}\u001b[201~`;

describe("large pastes", () => {
  test("a paste over a few lines is one token, erased by one key and sent whole", async () => {
    await using chat = await chats.open(echo);
    const { pty } = chat;
    await pty.see(READY);
    const text = Array.from({ length: 812 }, (_, at) => `line ${at} of the paste`).join("\n");
    pty.type("look at ");
    pty.type(pasted(text.replaceAll("\n", "\r")));
    await pty.see(/^> look at \[pasted 812 lines\]$/m);
    pty.type("\u007f");
    await pty.see(/^> look at$/m);
    pty.type(pasted(text));
    await pty.see(/^> look at \[pasted 812 lines\]$/m);
    pty.type(" please\r");
    await pty.see(/answer 0/);
    expect(sent(chat, 0)).toBe(`look at ${text} please`);
    expect(pty.screen()).not.toContain("line 700");
  });

  test("200 kB of lines and 200 kB in one line leave every key heard, Ctrl-C too", async () => {
    await using chat = await chats.open(echo);
    const { pty } = chat;
    await pty.see(READY);
    const lines = "a line of a long paste, é\n".repeat(8_000);
    const line = "word-é ".repeat(28_572);
    for (const text of [lines, line]) {
      pty.type(pasted(text));
      await pty.see(/\[pasted [\d,]+ (lines|characters)\]/);
      // Each key is answered by a screen of its own, so none of them waits for the text to be gone through.
      for (const key of "abcdef") {
        pty.type(key);
        await pty.see(new RegExp(`\\]${"abcdef".slice(0, "abcdef".indexOf(key) + 1)}$`, "m"));
      }
      pty.type("\u0003");
      await pty.see(/^>\nlocal/m);
    }
    pty.type("\u0003");
    await pty.see(/Ctrl-C again leaves/);
    pty.type("\u0003");
    expect(await pty.exited).toBe(0);
  });

  test("a long text from an editor is edited in place, and Ctrl-C clears it", async () => {
    const editor = join(chats.root, "editor.sh");
    await writeFile(editor, `#!/bin/sh\nyes 'word é' | tr '\\n' ' ' | head -c 200000 > "$1"\n`);
    await chmod(editor, 0o755);
    await using chat = await chats.open(echo, [], { env: { EDITOR: editor } });
    const { pty } = chat;
    await pty.see(READY);
    pty.type("\u0018\u0005");
    await pty.see(/word é word é/);
    for (const [typed, wanted] of [
      ["one", /one$/m],
      [" two", /one two$/m],
      ["\u001b[D\u001b[D\u001b[DX", /one Xtwo$/m],
    ] as const) {
      pty.type(typed);
      await pty.see(wanted);
    }
    pty.type("\u0003");
    await pty.see(/^>\nlocal/m);
  });

  test("a paste that the terminal does not mark is one paste, and sends nothing", async () => {
    await using chat = await chats.open(echo);
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("first line of it\rsecond line @README.md\rthird\rfourth\rfifth\rsixth line\r");
    await pty.see(/^> \[pasted 6 lines\]$/m);
    pty.type("\r");
    await pty.see(/answer 0/);
    expect(provider.count).toBe(1);
    expect(sent(chat, 0)).toMatch(/^first line of it\nsecond line @README\.md\n/);
  });

  test("pasted text brings in no file, and the same text typed does", async () => {
    await writeFile(join(chats.root, "a.md"), "the text of a");
    await using chat = await chats.open(echo);
    const { pty } = chat;
    await pty.see(READY);
    const long = Array.from({ length: 9 }, () => "see @a.md").join("\n");
    pty.type(`${pasted("see @a.md now")}\r`);
    await pty.see(/answer 0/);
    pty.type(`${pasted(long)}\r`);
    await pty.see(/answer 1/);
    pty.type("see @a.md now\r");
    await pty.see(/answer 2/);
    expect([0, 1, 2].map((at) => sent(chat, at).includes("the text of a"))).toEqual([false, false, true]);
    expect(sent(chat, 1)).toBe(long);
    // Brought back, what was pasted is still no marker.
    pty.type("\u001b[A\u001b[A\u001b[A");
    await pty.see(/^> see @a\.md now$/m);
    pty.type("!\r");
    await pty.see(/answer 3/);
    expect(sent(chat, 3)).toBe("see @a.md now!");
  });
});

describe("keys of readline", () => {
  test("Ctrl-A goes to the beginning, Alt-B and Alt-F by words, Ctrl-W, Ctrl-K and Ctrl-Y cut and put back", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("two three\u0001one \u0005 four\u001bb\u001bb\u001bf!\r");
    await pty.see(/heard <one two three! four>/);
    pty.type("alpha beta gamma\u0017\u0017\u0001\u0019\u000b\u0019\u0001\u001bd!\r");
    await pty.see(/heard <! gammaalpha >/);
  });

  test("Ctrl-R finds what was sent, Ctrl-P and Ctrl-N walk through it", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    for (const text of ["make the tests green", "write the changelog", "make a release"]) {
      pty.type(`${text}\r`);
      await pty.see(new RegExp(`heard <${text}>`));
    }
    pty.type("draft\u0012make");
    await pty.see(/^\(search\) make: make a release$/m);
    pty.type("\u0012");
    await pty.see(/^\(search\) make: make the tests green$/m);
    pty.type("\u0012");
    await pty.see(/^\(nothing found\) make: make the tests green$/m);
    pty.type("\u0007");
    await pty.see(/^> draft$/m);
    pty.type("\u0012change\u001b[C!\r");
    await pty.see(/heard <write the changelog!>/);
    pty.type("\u0010\u0010\u000e\u000e\u0010\u0010?\r");
    await pty.see(/heard <make a release\?>/);
  });

  test("Shift-Enter makes a new line in both ways in which terminals tell it", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    expect(pty.raw).toContain("\u001b[?u");
    pty.type("\u001b[?0u");
    pty.type("a\u001b[13;2ub\u001b[27;2;13~c");
    await pty.see(/^> a\n {2}b\n {2}c$/m);
    expect(pty.raw).toContain("\u001b[>1u");
    pty.type("\u001b[13u");
    await pty.see(/heard <a\|b\|c>/);
    pty.type("\u001b[100;5u");
    expect(await pty.exited).toBe(0);
    expect(pty.raw).toContain("\u001b[<u");
  });

  test("Ctrl-G opens the editor with the whole message, and what it leaves is sent", async () => {
    const editor = join(chats.root, "editor.sh");
    await writeFile(editor, '#!/bin/sh\ncp "$1" seen.txt\nprintf "%s" "written elsewhere" > "$1"\n');
    await chmod(editor, 0o755);
    await using chat = await chats.open(heard, [], { env: { EDITOR: editor }, cwd: chats.root });
    const { pty } = chat;
    await pty.see(READY);
    const text = Array.from({ length: 9 }, (_, at) => `line ${at}`).join("\n");
    pty.type(`before ${pasted(text)}`);
    await pty.see(/\[pasted 9 lines\]/);
    pty.type("\u0007");
    await pty.see(/^> written elsewhere$/m);
    expect(await readFile(join(chats.root, "seen.txt"), "utf8")).toBe(`before ${text}`);
    pty.type("\r");
    await pty.see(/heard <written elsewhere>/);
  });

  test("without an editor Ctrl-G says how to set one, and the message stays", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("kept\u0007");
    await pty.see(/No editor is set\. Set VISUAL or EDITOR\.[\s\S]*> kept/);
  });

  test("Ctrl-Z gives the terminal back to the shell, and fg goes on where it was", async () => {
    await using chat = await chats.open(heard, [], { inShell: true });
    const { pty } = chat;
    await pty.see(READY);
    pty.type("half a sent");
    await pty.see(/> half a sent/);
    pty.type("\u001a");
    await pty.see(/Stopped/);
    pty.type("echo in $((40 + 2)) shell\r");
    await pty.see(/in 42 shell/);
    pty.type("fg\r");
    await pty.see(/fg\n[\s\S]*> half a sent/);
    pty.type("ence\r");
    await pty.see(/heard <half a sentence>/);
  });
});

test("what was sent is there in the next session of this workspace, in a private file without secrets", async () => {
  const secret = `sk-ant-api03-${"a1B2".repeat(12)}`;
  {
    await using chat = await chats.open(echo);
    const { pty } = chat;
    await pty.see(READY);
    const messages = ["the first message", `use ${secret} for it`, " not kept"];
    for (const [at, message] of messages.entries()) {
      pty.type(`${message}\r`);
      await pty.see(new RegExp(`answer ${at}`));
    }
    pty.type("\u0004");
    expect(await pty.exited).toBe(0);
  }
  const folder = join(chats.store, "input-history");
  const files = (await readdir(folder)).map((name) => join(folder, name));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const at = texts.findIndex((text) => text.includes("the first message"));
  expect(texts[at]).not.toContain(secret);
  expect((await stat(files[at] as string)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await using next = await chats.open(heard);
  await next.pty.see(READY);
  next.pty.type("\u001b[A\u001b[A\r");
  await next.pty.see(/heard <the first message>/);
});
