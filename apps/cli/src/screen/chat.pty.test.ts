import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type NormalisedRequest, type Script, startMockProvider } from "@ikigai/agent/testing";
import { describe, expect, test } from "vitest";
import { openPty } from "./testing/open-pty.ts";
import { heard, lastUser, READY, results, useChats } from "./testing/use-chats.ts";

const chats = useChats();

test("an answer streams in as Markdown, the status line counts, and Ctrl-D leaves", async () => {
  await using chat = await chats.open((request) => ({ text: `# Echo\n\nYou said **${lastUser(request)}**.\n- one\n` }));
  const { pty } = chat;
  await pty.see(READY);
  pty.type("hello\r");
  await pty.see(/Echo\n\nYou said hello\.\n• one\n/);
  await pty.see(
    /local\/scripted · ask · pinned 0\/100k · context [\d.]+k\/150k · used \d+\+\d+ · 3 sources · \d streams?/,
  );
  pty.type("\u0004");
  expect(await pty.exited).toBe(0);
  expect(pty.foreign).toEqual([]);
});

test("a task in quotes is the first message, and the conversation goes on", async () => {
  await using chat = await chats.open(heard, ["what is here?"]);
  const { pty } = chat;
  await pty.see(/^> what is here\?\n[^]*heard <what is here\?>/m);
  pty.type("and there?\r");
  await pty.see(/heard <and there\?>/);
});

describe("typing", () => {
  test("several lines by Alt-Enter, by a trailing backslash and by pasting are one message", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("a\u001b\rb");
    pty.type("\\\r");
    pty.type("\u001b[200~c\r\nd\u001b[201~\r");
    await pty.see(/heard <a\|b\|c\|d>/);
  });

  test("the cursor moves over wide characters as over others", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("世界👨‍👩‍👧é!");
    await pty.see(/> 世界👨‍👩‍👧é!/);
    pty.type("\u001b[D\u001b[D\u001b[D\u007fX\r");
    await pty.see(/heard <世X👨‍👩‍👧é!>/);
  });

  test("the arrow keys bring back what was sent", async () => {
    await using chat = await chats.open(heard);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("first\r");
    await pty.see(/heard <first>/);
    pty.type("second\r");
    await pty.see(/heard <second>/);
    pty.type("\u001b[A\u001b[A\u0005 again\r");
    await pty.see(/heard <first again>/);
  });
});

describe("finding", () => {
  test("@ finds files that are not ignored; the chosen one is sent with its text", async () => {
    await mkdir(join(chats.root, "src"));
    await writeFile(join(chats.root, "src", "my main.ts"), "export const answer = 42;\n");
    await writeFile(join(chats.root, "src", "hidden-main.ts"), "secret");
    await writeFile(join(chats.root, ".gitignore"), "hidden*\n");
    await using chat = await chats.open(() => ({ text: "seen" }));
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("look at @mymai");
    expect(await pty.see(/^ {2}src\/my main\.ts$/m)).not.toContain("hidden-main");
    pty.type("\t");
    await pty.see(/> look at @"src\/my main\.ts"/);
    pty.type("please\r");
    await pty.see(/seen/);
    expect(lastUser(provider.requests[0] as NormalisedRequest)).toContain("export const answer = 42;");
  });

  test("Ctrl-F browses, arrows choose, Escape closes", async () => {
    await writeFile(join(chats.root, "a.md"), "A");
    await writeFile(join(chats.root, "b.md"), "B");
    await using chat = await chats.open(() => ({ text: "seen" }));
    const { pty } = chat;
    await pty.see(READY);
    pty.type("\u0006");
    await pty.see(/^ {2}a\.md\n {2}b\.md$/m);
    pty.type("\u001b[B\r");
    await pty.see(/^> @b\.md$/m);
    pty.type("@");
    await pty.see(/^ {2}a\.md$/m);
    pty.type("\u001b");
    await pty.see(/^> @b\.md @\nlocal/m);
  });

  test("Tab completes slash commands, and an unknown one is told what is near", async () => {
    await using chat = await chats.open(() => ({ text: "never" }));
    const { pty } = chat;
    await pty.see(READY);
    pty.type("/cont");
    await pty.see(/^ {2}\/context {2}what the last request/m);
    pty.type("\t\r");
    await pty.see(/Nothing was sent yet/);
    pty.type("/contxt\r");
    await pty.see(/no command \/contxt[\s\S]*\/context/);
  });
});

describe("tools", () => {
  const write: Script = (request) => {
    const [result] = results(request);
    if (result === undefined)
      return { calls: [{ name: "file_write", input: { path: "a.txt", content: "one\ntwo\n" } }] };
    return { text: result.includes('"success":true') ? "It is written." : `Refused: ${result}` };
  };

  test("a write asks, shows what would change, and happens after a yes", async () => {
    await using chat = await chats.open(write);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    expect(await pty.see(/Allow it\?/)).toMatch(/│ create file:\/\/\/a\.txt[\s\S]*│ \+one\n {2}│ \+two/);
    pty.type("y");
    await pty.see(/✓ file_write a\.txt[\s\S]*It is written\./);
    expect(await readFile(join(chats.root, "a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test("a no comes with its reason to the model", async () => {
    await using chat = await chats.open(write);
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    await pty.see(/Allow it\?/);
    pty.type("r");
    await pty.see(/Why not\?/);
    pty.type("wrong folder\r");
    await pty.see(/Refused: /);
    expect(results(provider.requests[1] as NormalisedRequest)[0]).toContain("a.txt: wrong folder");
    await expect(readFile(join(chats.root, "a.txt"))).rejects.toThrow("ENOENT");
  });

  test("Ctrl-C at the question stops the turn, and the conversation goes on with a valid history", async () => {
    await using chat = await chats.open((request) =>
      lastUser(request) === "hello" ? { text: "still here" } : write(request, 0),
    );
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    await pty.see(/Allow it\?/);
    pty.type("\u0003");
    await pty.see(/Stopped\./);
    pty.type("hello\r");
    await pty.see(/still here/);
    expect(provider.refused).toEqual([]);
    await expect(readFile(join(chats.root, "a.txt"))).rejects.toThrow("ENOENT");
  });

  test("a long result is folded, and Ctrl-O shows the rest", async () => {
    await writeFile(join(chats.root, "long.txt"), Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n"));
    await using chat = await chats.open((request) =>
      results(request).length === 0
        ? { calls: [{ name: "file_read", input: { path: "long.txt" } }] }
        : { text: "read" },
    );
    const { pty } = chat;
    await pty.see(READY);
    pty.type("go\r");
    expect(await pty.see(/27 more lines[\s\S]*\nread\n/)).not.toContain("line 20");
    pty.type("\u000f");
    await pty.see(/line 30/);
  });

  test("the same call a third time asks", async () => {
    await writeFile(join(chats.root, "a.txt"), "x");
    await using chat = await chats.open((request) =>
      results(request).length < 3
        ? { calls: [{ name: "file_read", input: { path: "a.txt" } }] }
        : { text: results(request)[2]?.includes("is not run again") === true ? "I was stopped." : "I ran it." },
    );
    const { pty } = chat;
    await pty.see(READY);
    pty.type("go\r");
    await pty.see(/Run it again\?/);
    pty.type("n\r");
    await pty.see(/I was stopped\./);
  });
});

describe("Ctrl-C", () => {
  const stall: Script = (request) =>
    lastUser(request).endsWith("again")
      ? { text: "fine" }
      : { fault: { kind: "stall" }, reply: { text: "a long story" } };

  test("stops the turn, and the next message works", async () => {
    await using chat = await chats.open(stall);
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("tell me\r");
    await pty.see(/thinking|a long/);
    pty.type("\u0003");
    await pty.see(/Stopped\./);
    pty.type("again\r");
    await pty.see(/fine/);
    expect(provider.refused).toEqual([]);
  });

  test("twice leaves, also in the middle of a turn", async () => {
    await using chat = await chats.open(stall);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("tell me\r");
    await pty.see(/thinking|a long/);
    pty.type("\u0003\u0003");
    expect(await pty.exited).toBe(0);
    expect(pty.raw).toContain("\u001b[?2004l");
  });

  test("clears what is typed before it leaves", async () => {
    await using chat = await chats.open(stall);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("half a sentence");
    await pty.see(/half a sentence/);
    pty.type("\u0003");
    await pty.see(/^>\nlocal/m);
    pty.type("\u0003");
    await pty.see(/Ctrl-C again leaves/);
    pty.type("\u0003");
    expect(await pty.exited).toBe(0);
  });
});

test("after a resize the input is laid out anew", async () => {
  await using chat = await chats.open((request) => ({ text: `heard ${lastUser(request).length}` }));
  const { pty } = chat;
  await pty.see(READY);
  const long = "word ".repeat(16).trim();
  pty.type(long);
  await pty.see(new RegExp(`> ${long}`));
  pty.resize(40, 30);
  await pty.see(/^> (word ){6}word$/m);
  pty.type("\r");
  await pty.see(/heard 79/);
});

test("no escape sequence of a model, a file or a tool reaches the terminal", async () => {
  const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eback\u0007";
  await writeFile(join(chats.root, "evil.txt"), `${evil}\n`);
  await using chat = await chats.open((request) =>
    results(request).length === 0
      ? { text: `Look: ${evil}\n`, calls: [{ name: "file_read", input: { path: "evil.txt" } }] }
      : { text: `\`\`\`${evil}\n${evil}\n\`\`\`\ndone ${evil}` },
  );
  const { pty } = chat;
  await pty.see(READY);
  pty.type(`\u001b[200~paste ${evil}\u001b[201~\r`);
  await pty.see(/^done /m);
  expect(pty.foreign).toEqual([]);
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  expect(pty.raw).not.toMatch(/\u001b\]|\u0007|[\u0080-\u009f]|\u202e|\u001b\[2J/);
  expect(pty.screen()).toContain("\\u001b]0;owned\\u0007");
});

test("NO_COLOR sends no colours, and a dumb terminal gets plain lines", async () => {
  await using plain = await chats.open(() => ({ text: "**bold**" }), [], { env: { NO_COLOR: "1" } });
  await plain.pty.see(READY);
  plain.pty.type("go\r");
  await plain.pty.see(/^bold$/m);
  // oxlint-disable-next-line no-control-regex -- finding them is the point
  expect(plain.pty.raw).not.toMatch(/\u001b\[[0-9;]*m/);

  await using dumb = await chats.open(() => ({ text: "an answer" }), [], { env: { TERM: "dumb" } });
  await dumb.pty.see(/^>/m);
  dumb.pty.type("go\r");
  await dumb.pty.see(/an answer/);
  expect(dumb.pty.raw).not.toContain("\u001b");
  dumb.pty.type("/exit\r");
  expect(await dumb.pty.exited).toBe(0);
});

describe("without a model", () => {
  const place = (): string[] => ["--root", chats.root, "--store", chats.store];
  const env = (): Record<string, string> => ({ XDG_CONFIG_HOME: chats.config });

  test("one key goes on without one: everything but chatting works, and a message says how to set one", async () => {
    await using provider = await startMockProvider(() => ({ text: "hello from the other" }));
    await using pty = openPty(place(), { env: env() });
    await pty.see(/There is no model to talk to yet[^]*\[d\] demo[^]*\[c\] client[^]*\[m\] model[^]*What now\?/);
    pty.type("g");
    await pty.see(/no model \(\/model/);
    pty.type("hi\r");
    await pty.see(/There is no model to talk to[\s\S]*--model provider\/model/);
    pty.type(`/model local/other ${provider.openAiUrl}\r`);
    await pty.see(/The model is local\/other/);
    pty.type("hi\r");
    await pty.see(/hello from the other/);
  });

  test("one key sets a model, which is kept and talked to at once and the next time", async () => {
    await using provider = await startMockProvider((request) => ({ text: `heard ${lastUser(request)}` }));
    {
      await using pty = openPty(place(), { env: env() });
      await pty.see(/What now\?/);
      pty.type("m");
      await pty.see(/Whose model\?/);
      pty.type("3");
      await pty.see(/Its address/);
      pty.type(`${provider.openAiUrl}\r`);
      await pty.see(/name there/);
      pty.type("llama3\r");
      await pty.see(/Kept local\/llama3 in\s/);
      await pty.see(READY);
      pty.type("hi\r");
      await pty.see(/heard hi/);
    }
    const kept = join(chats.config, "ikigai", "ikigai.config.json");
    expect(JSON.parse(await readFile(kept, "utf8"))).toEqual({ model: "local/llama3", base_url: provider.openAiUrl });
    await using again = openPty(place(), { env: env() });
    await again.see(/local\/llama3 · ask/);
  });

  test("one key plays the demo, in words that are not broken at 80 columns, and comes back", async () => {
    await using pty = openPty(place(), { env: { ...env(), NO_COLOR: "1" }, columns: 80 });
    await pty.see(/What now\?/);
    pty.type("d");
    await pty.see(/I am a scripted model, not a real one[^]*Now it fits[^]*is saved\. Pinned[^]*What now\?/);
    expect(pty.screen()).not.toContain('{"output"');
    for (const whole of ["nothing leaves this machine", "ikigai --model provider/model", "[g] go on without one"]) {
      expect(pty.screen().replaceAll(/\s+/g, " ")).toContain(whole);
    }
    pty.type("q");
    expect(await pty.exited).toBe(0);
  });

  test.each([
    ["1", "anthropic", "claude-sonnet-4-5"],
    ["2", "openai", "gpt-5"],
  ])("key %s asks for a key of %s unseen, and keeps it and the model for the user", async (key, provider, model) => {
    const keyless = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" };
    await using pty = openPty(place(), { env: { ...env(), ...keyless } });
    await pty.see(/What now\?/);
    pty.type("m");
    await pty.see(/Whose model\?/);
    pty.type(key);
    await pty.see(/Model \(Enter for /);
    pty.type("\r");
    await pty.see(new RegExp(`Key for ${provider} \\(not shown`));
    pty.type("sk-test-of-a-key\r");
    await pty.see(new RegExp(`Kept ${provider}/${model} in\\s[^]*${provider}/${model} · ask`));
    expect(pty.raw).not.toContain("sk-test-of-a-key");
    const folder = join(chats.config, "ikigai");
    expect(JSON.parse(await readFile(join(folder, "ikigai.config.json"), "utf8"))).toEqual({
      model: `${provider}/${model}`,
    });
    expect(JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"))).toMatchObject({
      [provider]: "sk-test-of-a-key",
    });
  });

  test("one key connects a client, and comes back", async () => {
    await using pty = openPty(place(), { env: { ...env(), HOME: chats.root, CODEX_HOME: join(chats.root, "codex") } });
    await pty.see(/What now\?/);
    pty.type("c");
    await pty.see(/Which client\?[^]*\[6\] codex/);
    pty.type("6");
    await pty.see(/Write it\?/);
    pty.type("y");
    await pty.see(/was written[^]*What now\?/);
    pty.type("q");
    expect(await pty.exited).toBe(0);
  });
});

test("an untrusted folder is trusted where it is noticed, and counts at once", async () => {
  await writeFile(join(chats.root, "ikigai.config.json"), JSON.stringify({ context_limit: 50_000 }));
  const echo: Script = (request) => ({ text: `heard ${lastUser(request)}` });
  {
    await using chat = await chats.open(echo);
    await chat.pty.see(/not trusted yet[^]*context_limit[^]*Trust this folder\?/);
    chat.pty.type("n");
    await chat.pty.see(/has no effect/);
    await chat.pty.see(READY);
    chat.pty.type("hi\r");
    await chat.pty.see(/context [\d.]+k\/150k/);
  }
  await using chat = await chats.open(echo);
  await chat.pty.see(/Trust this folder\?/);
  chat.pty.type("y");
  await chat.pty.see(READY);
  chat.pty.type("hi\r");
  await chat.pty.see(/context [\d.]+k\/50k/);
  await using again = await chats.open(echo);
  expect(await again.pty.see(READY)).not.toContain("Trust this folder");
});

test("an empty answer and a provider's own words are told as they are", async () => {
  const message = "model 'x' is busy being pulled";
  await using chat = await chats.open((request) =>
    lastUser(request) === "nothing" ? { text: "" } : { fault: { kind: "status", status: 400, message } },
  );
  const { pty } = chat;
  await pty.see(READY);
  pty.type("nothing\r");
  await pty.see(/The model's answer was empty/);
  pty.type("fail\r");
  await pty.see(/failed \(400\): .*model 'x' is busy being pulled/);
});

test("/undo alone takes back the last change, /compact alone shortens the conversation, /remember is in effect at once", async () => {
  await using chat = await chats.open(
    (request) => {
      if (request.tools.length === 0) return { text: "We spoke of herons." };
      const asked = lastUser(request);
      if (asked === "write" && request.turns.at(-1)?.role === "user")
        return { calls: [{ name: "file_write", input: { path: "u.txt", content: "mine" } }] };
      const pinned = request.system.includes("We use tabs") ? "tabs" : "nothing";
      const summary = request.system.includes("We spoke of herons.") ? "a summary" : "no summary";
      return { text: `turns ${request.turns.filter(({ role }) => role === "user").length}, ${pinned}, ${summary}` };
    },
    ["--approve", "edits"],
  );
  const { pty } = chat;
  await pty.see(READY);
  pty.type("write\r");
  await pty.see(/turns 1, nothing, no summary/);
  expect(await readFile(join(chats.root, "u.txt"), "utf8")).toBe("mine");
  pty.type("/undo\r");
  await pty.see(/Took back change \d+ of file:\/\/\/u\.txt/);
  await expect(readFile(join(chats.root, "u.txt"), "utf8")).rejects.toThrow("ENOENT");
  pty.type("/remember We use tabs\r");
  await pty.see(/in effect from your next message on/);
  pty.type("now?\r");
  await pty.see(/turns 2, tabs, no summary/);
  pty.type("/compact\r");
  await pty.see(/2 exchanges are left out from now on/);
  pty.type("and now?\r");
  await pty.see(/turns 1, tabs, a summary/);
});

test("conversations can be marked, rewound, forked and cleared; /context shows what was sent", async () => {
  await using chat = await chats.open((request) => ({
    text: `turns ${request.turns.filter(({ role }) => role === "user").length}`,
  }));
  const { pty } = chat;
  await pty.see(READY);
  pty.type("one\r");
  await pty.see(/turns 1/);
  pty.type("/mark here\r");
  await pty.see(/Marked/);
  pty.type("two\r");
  await pty.see(/turns 2/);
  pty.type("/fork\r");
  await pty.see(/a copy of/);
  pty.type("three\r");
  await pty.see(/turns 3/);
  pty.type("/rewind nowhere\r");
  await pty.see(/no mark "nowhere"/);
  pty.type("/context\r");
  await pty.see(/KIND +SOURCE +VERSION +TOKENS +CHANGE +BECAUSE\nguidance/);
  pty.type("/clear\r");
  await pty.see(/A new conversation/);
  pty.type("four\r");
  await pty.see(/turns 1[\s\S]*turns 1/);
  pty.type("/conversations\r");
  await pty.see(
    /6 messages {2}\S+ {2}one[\s\S]*4 messages {2}\S+ {2}one|4 messages {2}\S+ {2}one[\s\S]*6 messages {2}\S+ {2}one/,
  );
});
