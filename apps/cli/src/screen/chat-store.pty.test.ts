import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NormalisedRequest, Script } from "@ikigai/agent/testing";
import { describe, expect, test } from "vitest";
import { lastUser, READY, results, useChats } from "./testing/use-chats.ts";

const chats = useChats();

test("the store's commands work here; /compact proposes with the model, shows the change and asks", async () => {
  const long = "Decision one: use tabs. ".repeat(20);
  await using chat = await chats.open(
    (request) => {
      if (request.tools.length === 0) return { text: "Decision one: use tabs." };
      if (results(request).length > 0) return { text: "saved" };
      return { calls: [{ name: "file_write", input: { path: "ikigai:///blocks/notes.md", content: long } }] };
    },
    ["--approve", "edits"],
  );
  const { pty, provider } = chat;
  await pty.see(READY);
  pty.type("save it\r");
  await pty.see(/^saved$/m);
  pty.type("/pin notes\r");
  await pty.see(/Pinned[\s\S]*pinned 1\d\d\/100k/);
  pty.type("/compact notes\r");
  expect(await pty.see(/Agreed\? \[y\] yes/)).toMatch(/1\d\d → \d tokens/);
  pty.type("y");
  await pty.see(/Compacted ikigai:\/\/\/blocks\/notes\.md/);
  pty.type("and now?\r");
  await pty.see(/and now\?[\s\S]*^saved$/m);
  expect(provider.requests.at(-1)?.system).toMatch(
    /address="ikigai:\/\/\/blocks\/notes\.md".*\nDecision one: use tabs\.\n/,
  );
});

test("/assets edit gives the terminal to the editor and takes it back", async () => {
  const env = { VISUAL: "sed -i s/tests/examples/" };
  await using chat = await chats.open(() => ({ text: "unused" }), ["--approve", "edits"], { env });
  const { pty } = chat;
  await pty.see(READY);
  pty.type("/remember write tests\r");
  await pty.see(/Remembered in/);
  pty.type("/assets edit remembered\r");
  await pty.see(/Edited ikigai:\/\/\/blocks\/remembered\.md \(text\)/);
  pty.type("/diff remembered\r");
  await pty.see(/\+- write examples/);
});

describe("going on", () => {
  test("a conversation is there again in the next process", async () => {
    const echo: Script = (request) => ({
      text: `questions so far: ${request.turns.filter(({ role }) => role === "user").length}`,
    });
    {
      await using chat = await chats.open(echo);
      await chat.pty.see(READY);
      chat.pty.type("remember the number seven\r");
      await chat.pty.see(/so far: 1/);
      chat.pty.type("\u0004");
      expect(await chat.pty.exited).toBe(0);
    }
    await using chat = await chats.open(echo, ["--continue"]);
    await chat.pty.see(/> remember the number seven\nquestions so far: 1/);
    await chat.pty.see(READY);
    chat.pty.type("which one?\r");
    await chat.pty.see(/so far: 2/);
  });

  test.each(["in the middle of an answer", "in the middle of a call"])(
    "after kill -9 %s the history is valid",
    async (when) => {
      const script: Script = (request) => {
        if (lastUser(request).endsWith("again")) return { text: "whole again" };
        if (when.endsWith("answer")) return { fault: { kind: "stall" }, reply: { text: "a long story" } };
        return { text: "Saving.", calls: [{ name: "file_write", input: { path: "a.txt", content: "x" } }] };
      };
      {
        await using chat = await chats.open(script);
        await chat.pty.see(READY);
        chat.pty.type("begin\r");
        await chat.pty.see(when.endsWith("answer") ? /a long/ : /Allow it\?/);
      }
      await using chat = await chats.open(script, ["--continue"]);
      await chat.pty.see(/> begin/);
      await chat.pty.see(READY);
      chat.pty.type("again\r");
      await chat.pty.see(/whole again/);
      expect(chat.provider.refused).toEqual([]);
      expect(results(chat.provider.requests[0] as NormalisedRequest).length).toBe(when.endsWith("answer") ? 0 : 1);
    },
  );

  test("an id that is none is said, and the program ends", async () => {
    await using chat = await chats.open(
      () => ({ text: "never" }),
      ["--resume", "00000000-0000-0000-0000-000000000000"],
    );
    await chat.pty.see(/No conversation has the id/);
    expect(await chat.pty.exited).toBe(2);
  });
});

describe("what happens outside", () => {
  const configure = async (config: object): Promise<void> => {
    await mkdir(join(chats.config, "ikigai"), { recursive: true });
    await writeFile(join(chats.config, "ikigai", "ikigai.config.json"), JSON.stringify(config));
  };

  test("a file that somebody changed is told before the next question, with its address; the agent's own is not", async () => {
    await configure({ watch: "notify" });
    await using chat = await chats.open(
      (request) => {
        if (lastUser(request).includes("Since your last turn")) return { text: "I heard." };
        if (results(request).length > 0) return { text: "written" };
        return { calls: [{ name: "file_write", input: { path: "own.txt", content: "x" } }] };
      },
      ["--approve", "edits"],
    );
    const { pty, provider } = chat;
    await pty.see(/3 streams/);
    pty.type("write\r");
    await pty.see(/^written$/m);
    await writeFile(join(chats.root, "theirs.txt"), "x");
    for (let tries = 0; tries < 20 && !/I heard/.test(pty.screen()); tries++) {
      pty.type(`and now? ${tries}\r`);
      await pty.see(new RegExp(`and now\\? ${tries}\\n(?:.*\\n)*?(written|I heard)`));
    }
    const told = lastUser(provider.requests.at(-1) as NormalisedRequest);
    expect(told).toContain("theirs.txt was created (file:///theirs.txt)");
    expect(told).not.toContain("own.txt");
  });

  test("a person's save right after the agent read the file is told", async () => {
    await configure({ watch: "notify" });
    await writeFile(join(chats.root, "read.txt"), "before");
    await using chat = await chats.open((request) => {
      if (lastUser(request).includes("Since your last turn")) return { text: "I heard." };
      if (lastUser(request) !== "read it" || results(request).length > 0) return { text: "looked" };
      return { calls: [{ name: "file_read", input: { path: "read.txt" } }] };
    });
    const { pty, provider } = chat;
    await pty.see(/3 streams/);
    pty.type("read it\r");
    await pty.see(/^looked$/m);
    await writeFile(join(chats.root, "read.txt"), "after");
    for (let tries = 0; tries < 20 && !/I heard/.test(pty.screen()); tries++) {
      pty.type(`and now? ${tries}\r`);
      await pty.see(new RegExp(`and now\\? ${tries}\\n(?:.*\\n)*?(looked|I heard)`));
    }
    expect(lastUser(provider.requests.at(-1) as NormalisedRequest)).toContain("(file:///read.txt)");
  });

  test("a stream with wake starts a turn by itself", async () => {
    await writeFile(
      join(chats.root, "bell.mjs"),
      `import { watch } from "node:fs/promises";
       const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }), jsonSchema: { input: () => ({}), output: () => ({}) } } };
       export const bell = { kind: "stream", contract: 1, name: "bell", capabilities: [], options: schema, open: async () => ({
         async *events({ signal }) {
           try {
             for await (const { filename } of watch(${JSON.stringify(chats.root)}, { signal }))
               if (filename === "ring") yield { cursor: String(Date.now()), at: new Date(), text: "the bell rang" };
           } catch {}
         },
       }) };`,
    );
    await configure({ sources: [{ use: join(chats.root, "bell.mjs"), mount: "bell", wake: true }] });
    await using chat = await chats.open((request) => ({ text: `woken by: ${lastUser(request).split("\n")[1] ?? ""}` }));
    await chat.pty.see(/3 streams/);
    await writeFile(join(chats.root, "ring"), "");
    await chat.pty.see(/woken by: - bell: the bell rang/);
  });
});
