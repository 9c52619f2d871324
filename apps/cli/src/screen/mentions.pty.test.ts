import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NormalisedRequest } from "@ikigai/agent/testing";
import { expect, test } from "vitest";
import { type Chat, lastUser, READY, useChats } from "./testing/use-chats.ts";

const chats = useChats();
const sent = ({ provider }: Chat, at: number): string => lastUser(provider.requests[at] as NormalisedRequest);

test("an @ that is no file, and one inside code, is sent as text", async () => {
  await writeFile(join(chats.root, "a.md"), "the text of a");
  await using chat = await chats.open((_, at) => ({ text: `answer ${at}` }));
  const { pty } = chat;
  await pty.see(READY);
  const message = "why does @angular/core mail user@host and see `@a.md` or @no/such.md?";
  pty.type(`${message}\r`);
  await pty.see(/@no\/such\.md is no file here, so it is sent as text[\s\S]*answer 0/);
  expect(sent(chat, 0)).toBe(message);
});

test("@folder/ gives the listing of the folder", async () => {
  await mkdir(join(chats.root, "src", "lib"), { recursive: true });
  await writeFile(join(chats.root, "src", "main.ts"), "");
  await writeFile(join(chats.root, "src", "lib", "one.ts"), "");
  await using chat = await chats.open(() => ({ text: "seen" }));
  const { pty } = chat;
  await pty.see(READY);
  pty.type("what is in @src/ then\r");
  await pty.see(/\+ file:\/\/\/src\/ \(2 lines\)[\s\S]*seen/);
  expect(sent(chat, 0)).toContain("\nlib/ (1 file)\nmain.ts\n");
});

test("what is protected or lies outside the workspace is asked for, and stays out after a no", async () => {
  await writeFile(join(chats.root, ".env"), "LEVEL=debug\n");
  await writeFile(join(chats.root, "..", "beside.md"), "the text beside");
  await symlink(".env", join(chats.root, "settings.txt"));
  await using chat = await chats.open((_, at) => ({ text: `answer ${at}` }));
  const { pty } = chat;
  await pty.see(READY);
  pty.type("look at @.env please\r");
  await pty.see(/file:\/\/\/\.env would go along: it is protected\.\s+Send it along\? \[y\] yes/);
  pty.type("n");
  await pty.see(/- @\.env stays out[\s\S]*answer 0/);
  expect(sent(chat, 0)).not.toContain("LEVEL=debug");
  pty.type("look at @settings.txt please\r");
  await pty.see(/file:\/\/\/settings\.txt would go along[^]*Send it along\?/);
  pty.type("y");
  await pty.see(/answer 1/);
  expect(sent(chat, 1)).toContain("LEVEL=debug");
  pty.type("look at @../beside.md please\r");
  await pty.see(/beside\.md would go along: it lies outside the workspace\.[^]*Send it along\?/);
  pty.type("y");
  await pty.see(/answer 2/);
  expect(sent(chat, 2)).toContain("the text beside");
});

test("Ctrl-C at the question sends nothing", async () => {
  await using chat = await chats.open((_, at) => ({ text: `answer ${at}` }));
  const { pty, provider } = chat;
  await pty.see(READY);
  pty.type("look at @/etc/hostname please\r");
  await pty.see(/host:\/\/\/etc\/hostname would go along: it lies outside the workspace[^]*Send it along\?/);
  pty.type("\u0003");
  await pty.see(/Nothing was sent\./);
  pty.type("hello\r");
  await pty.see(/answer 0/);
  expect(provider.count).toBe(1);
});

test("a message that begins with a path is no command, and an unknown command is told", async () => {
  await using chat = await chats.open((_, at) => ({ text: `answer ${at}` }));
  const { pty } = chat;
  await pty.see(READY);
  for (const [at, message] of ["/etc/hosts is empty", "/no/such/path too", "/tmp is full"].entries()) {
    pty.type(`${message}\r`);
    await pty.see(new RegExp(`answer ${at}`));
    expect(sent(chat, at)).toBe(message);
  }
  pty.type("/nonsense now\r");
  await pty.see(/no command \/nonsense[\s\S]*A space before it makes it a message/);
});
