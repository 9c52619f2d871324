import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { NormalisedRequest, Script } from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { describe, expect, test } from "vitest";
import { runMain } from "../testing/open-workspace.ts";
import { lastUser, READY, useChats } from "./testing/use-chats.ts";

const chats = useChats();

const echo: Script = (request) => ({
  text: `heard ${request.turns.filter(({ role }) => role === "user").length}: ${lastUser(request)}`,
});
/** Tells a story that does not end, but answers what is asked otherwise. */
const story: Script = (request) =>
  lastUser(request).startsWith("tell")
    ? { fault: { kind: "stall", where: "mid_text" }, reply: { text: "Once upon a time there was a river" } }
    : echo(request, 0);

describe("going on", () => {
  test("leaving says how, by the beginning of an id, and --continue is of this folder", async () => {
    let id = "";
    {
      await using chat = await chats.open(echo);
      await chat.pty.see(READY);
      chat.pty.type("about the heron\r");
      await chat.pty.see(/heard 1: about the heron/);
      chat.pty.type("\u0004");
      const left = await chat.pty.see(/To go on with this conversation: [^]*--continue, or [^]*--resume\s+[0-9a-f]{8}/);
      id = /--resume\s+([0-9a-f]{8})/.exec(left)?.[1] ?? "";
      expect(await chat.pty.exited).toBe(0);
    }
    const other = join(chats.root, "other");
    await mkdir(other);
    {
      await using chat = await chats.open(echo, ["--root", other, "--continue"]);
      await chat.pty.see(/There is no conversation to go on with in this folder/);
      await chat.pty.see(READY);
      chat.pty.type("about the otter\r");
      await chat.pty.see(/heard 1: about the otter/);
    }
    await using chat = await chats.open(echo, ["--resume", id.slice(0, 6)]);
    await chat.pty.see(/> about the heron\nheard 1: about the heron/);
    await chat.pty.see(READY);
    chat.pty.type("and on\r");
    await chat.pty.see(/heard 2: and on/);
    await using elsewhere = await chats.open(echo, ["--root", other, "--resume", id]);
    await elsewhere.pty.see(new RegExp(`Conversation ${id} is of another folder, .*root`));
    expect(await elsewhere.pty.exited).toBe(2);
  });

  test("the list names folder, time and first words, and one is chosen by its number", async () => {
    for (const text of ["the first one", "the second one"]) {
      await using chat = await chats.open(echo, [text]);
      await chat.pty.see(new RegExp(`heard 1: ${text}`));
    }
    await using chat = await chats.open(echo, ["--resume"]);
    await chat.pty.see(/ 1 {2}[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d\s+\d messages?\s+\S+root\s+the\s+second\s+one/);
    await chat.pty.see(/ 2 [^]*the\s+first\s+one/);
    await chat.pty.see(/Which one\?/);
    chat.pty.type("2\r");
    await chat.pty.see(/Which one\?[^]*> the first one/);
  });

  test("a conversation in which nothing was said is not kept", async () => {
    {
      await using chat = await chats.open(echo);
      await chat.pty.see(READY);
      chat.pty.type("/conversations\r");
      await chat.pty.see(/Nothing was said in this folder yet/);
      chat.pty.type("\u0004");
      expect(await chat.pty.exited).toBe(0);
      expect(chat.pty.screen()).not.toContain("To go on");
    }
    const place = ["--root", chats.root, "--store", chats.store];
    const { out, err } = await runMain(["conversations", "--all", "--json", ...place, "--agent", "nobody"]);
    expect({ out, err }).toEqual({ out: "[]", err: "" });
  });
});

describe("a turn that is stopped", () => {
  test.each([
    ["Esc", "\u001b"],
    ["Ctrl-C", "\u0003"],
  ])("by %s stays with its partial answer and a mark, and the next message is its own", async (_, key) => {
    {
      await using chat = await chats.open(story);
      const { pty, provider } = chat;
      await pty.see(READY);
      pty.type("tell me a story\r");
      await pty.see(/Once up/);
      pty.type(key);
      await pty.see(/Stopped\./);
      pty.type("what else?\r");
      await pty.see(/heard 2: what else\?/);
      const turns = (provider.requests.at(-1) as NormalisedRequest).turns;
      expect(turns).toMatchObject([
        { role: "user", text: "tell me a story" },
        { role: "assistant", text: expect.stringMatching(/^Once up[^]*stopped this turn here/) },
        { role: "user", text: "what else?" },
      ]);
      pty.type("tell me more\r");
      await pty.see(/Once up[^]*Once up/);
      // Leaving in the middle of a turn stops it too.
      pty.type("\u0003\u0003");
      expect(await pty.exited).toBe(0);
    }
    await using again = await chats.open(story, ["--continue"]);
    await again.pty.see(/> tell me more\nOnce up.*\n\(interrupted\)\nThe last turn was stopped/);
  });
});

describe("a message typed during a turn", () => {
  test("is shown as queued and sent when the turn ends", async () => {
    await using chat = await chats.open(story);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("tell me\r");
    await pty.see(/Once up/);
    pty.type("then this\r");
    await pty.see(/^queued: then this \(↑ takes it back\)$/m);
    pty.type("\u001b");
    await pty.see(/Stopped\.[^]*> then this[^]*heard 2: then this/);
    expect(pty.screen()).not.toContain("queued:");
  });

  test("can be taken back with the arrow, changed, and sent as it is then", async () => {
    await using chat = await chats.open(story);
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("tell me\r");
    await pty.see(/Once up/);
    pty.type("wrong\r");
    await pty.see(/queued: wrong/);
    pty.type("\u001b[A");
    await pty.see(/^> wrong$/m);
    expect(pty.screen()).not.toContain("queued:");
    pty.type("\u007f\u007f\u007f\u007f\u007fright\r");
    await pty.see(/queued: right/);
    pty.type("\u001b");
    await pty.see(/heard 2: right/);
    expect(JSON.stringify(provider.requests)).not.toContain("wrong");
  });
});

test("/rewind without a name takes back the last question and its answer", async () => {
  await using chat = await chats.open(echo);
  const { pty } = chat;
  await pty.see(READY);
  pty.type("one\r");
  await pty.see(/heard 1: one/);
  pty.type("two\r");
  await pty.see(/heard 2: two/);
  pty.type("/rewind\r");
  await pty.see(/Back before "two"/);
  pty.type("three\r");
  await pty.see(/heard 2: three/);
});

test("the first use of a store says what it is doing, and where, once", async () => {
  const store = join(chats.root, "..", "own-store");
  try {
    await using chat = await chats.open(echo, ["--store", store]);
    await chat.pty.see(/Making the store in\s\S+own-store,\sonce\.\sThis\stakes\sa\sfew\sseconds\s…/);
    chat.pty.type("hi\r");
    expect((await chat.pty.see(/heard 1: hi/)).match(/Making the store/g)).toHaveLength(1);
  } finally {
    await stopKeeper(join(store, "postgres"));
  }
});
