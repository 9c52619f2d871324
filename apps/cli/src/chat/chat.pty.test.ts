import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MockProvider, type NormalisedRequest, type Script, startMockProvider } from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { runMain } from "../testing.ts";
import { openPty, type Pty, type PtyOptions } from "./testing/open-pty.ts";

const PATIENCE_MS = 90_000;
vi.setConfig({ testTimeout: PATIENCE_MS });

let base: string;
let root: string;
/** One for all, since starting an engine for each would take most of the time; each test is an agent of its own. */
let store: string;
let agents = 0;

beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "ikigai-chat-store-"));
  // The engine is started here, so that no test waits for it.
  await runMain(["--store", store, "pinned"]);
}, PATIENCE_MS);
afterAll(async () => {
  await stopKeeper(join(store, "postgres"));
  await rm(store, { recursive: true, force: true });
});

beforeEach(async () => {
  agents++;
  base = await mkdtemp(join(tmpdir(), "ikigai-chat-"));
  root = join(base, "root");
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

interface Chat extends AsyncDisposable {
  readonly pty: Pty;
  readonly provider: MockProvider;
}

async function openChat(script: Script, args: readonly string[] = [], options: PtyOptions = {}): Promise<Chat> {
  const provider = await startMockProvider(script);
  const model = ["--model", "local/scripted", "--base-url", provider.openAiUrl];
  const pty = openPty(["--root", root, "--store", store, "--agent", `tester-${agents}`, ...model, ...args], {
    ...options,
    env: { XDG_CONFIG_HOME: join(base, "config"), ...options.env },
  });
  return {
    pty,
    provider,
    async [Symbol.asyncDispose]() {
      await pty[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const READY = /\d+ sources?/;
const results = ({ turns }: NormalisedRequest): string[] =>
  turns.flatMap((turn) => (turn.role === "result" ? [turn.text] : []));
const lastUser = ({ turns }: NormalisedRequest): string => {
  const last = turns.findLast((turn) => turn.role === "user");
  return last?.role === "user" ? last.text : "";
};

test("an answer streams in as Markdown, the status line counts, and Ctrl-D leaves", async () => {
  await using chat = await openChat((request) => ({ text: `# Echo\n\nYou said **${lastUser(request)}**.\n- one\n` }));
  const { pty } = chat;
  await pty.see(READY);
  pty.type("hello\r");
  await pty.see(/Echo\n\nYou said hello\.\n• one\n/);
  await pty.see(/local\/scripted · pinned 0\/100k · context [\d.]+k\/150k · 3 sources · 0 streams/);
  pty.type("\u0004");
  expect(await pty.exited).toBe(0);
  expect(pty.foreign).toEqual([]);
});

describe("typing", () => {
  const echo: Script = (request) => ({ text: `heard <${lastUser(request).replaceAll("\n", "|")}>` });

  test("several lines by Alt-Enter, by a trailing backslash and by pasting are one message", async () => {
    await using chat = await openChat(echo);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("a\u001b\rb");
    pty.type("\\\r");
    pty.type("\u001b[200~c\r\nd\u001b[201~\r");
    await pty.see(/heard <a\|b\|c\|d>/);
  });

  test("the cursor moves over wide characters as over others", async () => {
    await using chat = await openChat(echo);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("世界👨‍👩‍👧é!");
    await pty.see(/> 世界👨‍👩‍👧é!/);
    pty.type("\u001b[D\u001b[D\u001b[D\u007fX\r");
    await pty.see(/heard <世X👨‍👩‍👧é!>/);
  });

  test("the arrow keys bring back what was sent", async () => {
    await using chat = await openChat(echo);
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
    await mkdir(join(root, "src"));
    await writeFile(join(root, "src", "my main.ts"), "export const answer = 42;\n");
    await writeFile(join(root, "src", "hidden-main.ts"), "secret");
    await writeFile(join(root, ".gitignore"), "hidden*\n");
    await using chat = await openChat(() => ({ text: "seen" }));
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
    await writeFile(join(root, "a.md"), "A");
    await writeFile(join(root, "b.md"), "B");
    await using chat = await openChat(() => ({ text: "seen" }));
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

  test("a name that leads to nothing is said, and nothing is sent", async () => {
    await using chat = await openChat(() => ({ text: "never" }));
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("see @no/such.md\r");
    await pty.see(/@no\/such\.md leads to nothing/);
    expect(provider.count).toBe(0);
  });

  test("Tab completes slash commands, and an unknown one is told what is near", async () => {
    await using chat = await openChat(() => ({ text: "never" }));
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
    await using chat = await openChat(write);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    expect(await pty.see(/Allow it\?/)).toMatch(/Location: +file:\/\/\/a\.txt[\s\S]*\+one\n\+two/);
    pty.type("y\r");
    await pty.see(/✓ file_write a\.txt[\s\S]*It is written\./);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test("a no comes with its reason to the model", async () => {
    await using chat = await openChat(write);
    const { pty, provider } = chat;
    await pty.see(READY);
    pty.type("write it\r");
    await pty.see(/Allow it\?/);
    pty.type("n\r");
    await pty.see(/Why not\?/);
    pty.type("wrong folder\r");
    await pty.see(/Refused: /);
    expect(results(provider.requests[1] as NormalisedRequest)[0]).toContain("a.txt: wrong folder");
    await expect(readFile(join(root, "a.txt"))).rejects.toThrow("ENOENT");
  });

  test("Ctrl-C at the question stops the turn, and the conversation goes on with a valid history", async () => {
    await using chat = await openChat((request) =>
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
    await expect(readFile(join(root, "a.txt"))).rejects.toThrow("ENOENT");
  });

  test("a long result is folded, and Ctrl-O shows the rest", async () => {
    await writeFile(join(root, "long.txt"), Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n"));
    await using chat = await openChat((request) =>
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
    await writeFile(join(root, "a.txt"), "x");
    await using chat = await openChat((request) =>
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
    await using chat = await openChat(stall);
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
    await using chat = await openChat(stall);
    const { pty } = chat;
    await pty.see(READY);
    pty.type("tell me\r");
    await pty.see(/thinking|a long/);
    pty.type("\u0003\u0003");
    expect(await pty.exited).toBe(0);
    expect(pty.raw).toContain("\u001b[?2004l");
  });

  test("clears what is typed before it leaves", async () => {
    await using chat = await openChat(stall);
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
  await using chat = await openChat((request) => ({ text: `heard ${lastUser(request).length}` }));
  const { pty } = chat;
  await pty.see(READY);
  const long = "word ".repeat(16).trim();
  pty.type(long);
  await pty.see(new RegExp(`> ${long}`));
  pty.resize(40, 30);
  await pty.see(/^> (word ){7}wo?$/m);
  pty.type("\r");
  await pty.see(/heard 79/);
});

test("no escape sequence of a model, a file or a tool reaches the terminal", async () => {
  const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eback\u0007";
  await writeFile(join(root, "evil.txt"), `${evil}\n`);
  await using chat = await openChat((request) =>
    results(request).length === 0
      ? { text: `Look: ${evil}\n`, calls: [{ name: "file_read", input: { path: "evil.txt" } }] }
      : { text: `\`\`\`${evil}\n${evil}\n\`\`\`\ndone ${evil}` },
  );
  const { pty } = chat;
  await pty.see(READY);
  pty.type(`\u001b[200~paste ${evil}\u001b[201~\r`);
  await pty.see(/^done /m);
  expect(pty.foreign).toEqual([]);
  // oxlint-disable-next-line no-control-regex
  expect(pty.raw).not.toMatch(/\u001b\]|\u0007|[\u0080-\u009f]|\u202e|\u001b\[2J/);
  expect(pty.screen()).toContain("\\u001b]0;owned\\u0007");
});

test("NO_COLOR sends no colours, and a dumb terminal gets plain lines", async () => {
  await using plain = await openChat(() => ({ text: "**bold**" }), [], { env: { NO_COLOR: "1" } });
  await plain.pty.see(READY);
  plain.pty.type("go\r");
  await plain.pty.see(/^bold$/m);
  // oxlint-disable-next-line no-control-regex
  expect(plain.pty.raw).not.toMatch(/\u001b\[[0-9;]*m/);

  await using dumb = await openChat(() => ({ text: "an answer" }), [], { env: { TERM: "dumb" } });
  await dumb.pty.see(/^>/m);
  dumb.pty.type("go\r");
  await dumb.pty.see(/an answer/);
  expect(dumb.pty.raw).not.toContain("\u001b");
  dumb.pty.type("/exit\r");
  expect(await dumb.pty.exited).toBe(0);
});

test("without a model everything but chatting works, and the message says how to set one", async () => {
  await using provider = await startMockProvider(() => ({ text: "hello from the other" }));
  await using pty = openPty(["--root", root, "--store", store], {
    env: { XDG_CONFIG_HOME: join(base, "config") },
  });
  await pty.see(/no model/);
  pty.type("hi\r");
  await pty.see(/There is no model to talk to[\s\S]*--model provider\/model/);
  pty.type(`/model local/other ${provider.openAiUrl}\r`);
  await pty.see(/The model is local\/other/);
  pty.type("hi\r");
  await pty.see(/hello from the other/);
});

test("conversations can be marked, rewound, forked and cleared; /context shows what was sent", async () => {
  await using chat = await openChat((request) => ({
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
  await pty.see(/6 messages {2}one[\s\S]*4 messages {2}one|4 messages {2}one[\s\S]*6 messages {2}one/);
});

test("the store's commands work here; /compact proposes with the model, shows the change and asks", async () => {
  const long = "Decision one: use tabs. ".repeat(20);
  await using chat = await openChat(
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
  expect(await pty.see(/\[y\/N\]/)).toMatch(/1\d\d → \d tokens/);
  pty.type("y\r");
  await pty.see(/Compacted ikigai:\/\/\/blocks\/notes\.md/);
  pty.type("and now?\r");
  await pty.see(/and now\?[\s\S]*^saved$/m);
  expect(provider.requests.at(-1)?.system).toMatch(
    /address="ikigai:\/\/\/blocks\/notes\.md".*\nDecision one: use tabs\.\n/,
  );
});

describe("going on", () => {
  test("a conversation is there again in the next process", async () => {
    const echo: Script = (request) => ({
      text: `questions so far: ${request.turns.filter(({ role }) => role === "user").length}`,
    });
    {
      await using chat = await openChat(echo);
      await chat.pty.see(READY);
      chat.pty.type("remember the number seven\r");
      await chat.pty.see(/so far: 1/);
      chat.pty.type("\u0004");
      expect(await chat.pty.exited).toBe(0);
    }
    await using chat = await openChat(echo, ["--continue"]);
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
        await using chat = await openChat(script);
        await chat.pty.see(READY);
        chat.pty.type("begin\r");
        await chat.pty.see(when.endsWith("answer") ? /a long/ : /Allow it\?/);
      }
      await using chat = await openChat(script, ["--continue"]);
      await chat.pty.see(/> begin/);
      await chat.pty.see(READY);
      chat.pty.type("again\r");
      await chat.pty.see(/whole again/);
      expect(chat.provider.refused).toEqual([]);
      expect(results(chat.provider.requests[0] as NormalisedRequest).length).toBe(when.endsWith("answer") ? 0 : 1);
    },
  );

  test("an id that is none is said, and the program ends", async () => {
    await using chat = await openChat(() => ({ text: "never" }), ["--resume", "00000000-0000-0000-0000-000000000000"]);
    await chat.pty.see(/No conversation has the id/);
    expect(await chat.pty.exited).toBe(2);
  });
});

describe("what happens outside", () => {
  const configure = async (config: object): Promise<void> => {
    await mkdir(join(base, "config", "ikigai"), { recursive: true });
    await writeFile(join(base, "config", "ikigai", "ikigai.config.json"), JSON.stringify(config));
  };

  test("a file that somebody changed is told before the next question, with its address; the agent's own is not", async () => {
    await configure({ watch: "notify" });
    await using chat = await openChat(
      (request) => {
        if (lastUser(request).includes("Since your last turn")) return { text: "I heard." };
        if (results(request).length > 0) return { text: "written" };
        return { calls: [{ name: "file_write", input: { path: "own.txt", content: "x" } }] };
      },
      ["--approve", "edits"],
    );
    const { pty, provider } = chat;
    await pty.see(/1 stream/);
    pty.type("write\r");
    await pty.see(/^written$/m);
    await writeFile(join(root, "theirs.txt"), "x");
    for (let tries = 0; tries < 20 && !/I heard/.test(pty.screen()); tries++) {
      pty.type(`and now? ${tries}\r`);
      await pty.see(new RegExp(`and now\\? ${tries}\\n(?:.*\\n)*?(written|I heard)`));
    }
    const told = lastUser(provider.requests.at(-1) as NormalisedRequest);
    expect(told).toContain("theirs.txt was created (file:///theirs.txt)");
    expect(told).not.toContain("own.txt");
  });

  test("a stream with wake starts a turn by itself", async () => {
    await writeFile(
      join(root, "bell.mjs"),
      `import { watch } from "node:fs/promises";
       const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }), jsonSchema: { input: () => ({}), output: () => ({}) } } };
       export const bell = { kind: "stream", contract: 1, name: "bell", capabilities: [], options: schema, open: async () => ({
         async *events({ signal }) {
           try {
             for await (const { filename } of watch(${JSON.stringify(root)}, { signal }))
               if (filename === "ring") yield { cursor: String(Date.now()), at: new Date(), text: "the bell rang" };
           } catch {}
         },
       }) };`,
    );
    await configure({ sources: [{ use: join(root, "bell.mjs"), mount: "bell", wake: true }] });
    await using chat = await openChat((request) => ({ text: `woken by: ${lastUser(request).split("\n")[1] ?? ""}` }));
    await chat.pty.see(/1 stream/);
    await writeFile(join(root, "ring"), "");
    await chat.pty.see(/woken by: - bell: the bell rang/);
  });
});
