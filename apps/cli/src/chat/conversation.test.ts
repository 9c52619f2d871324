import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type NormalisedRequest, type Script, startMockProvider } from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveSettings } from "../settings.ts";
import type { Resume } from "./choose-conversation.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import type { ChatScreen } from "./screen/chat-screen.ts";
import { createStyle } from "./screen/style.ts";

let base: string;
let agents = 0;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-conversation-"));
  await mkdir(join(base, "root"));
  await writeFile(join(base, "root", "a.md"), "one\ntwo\n");
});
afterAll(async () => {
  await stopKeeper(join(base, "store", "postgres"));
  await rm(base, { recursive: true, force: true });
});

interface Opened extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly requests: readonly NormalisedRequest[];
  /** Sends a line and gives what was printed for it. */
  say(line: string): Promise<string>;
  readonly answers: string[];
  readonly left: () => boolean;
  readonly status: () => string;
}

async function open(
  script: Script,
  options: { agent?: string; resume?: Resume; model?: boolean } = {},
): Promise<Opened> {
  const provider = await startMockProvider(script);
  const printed: string[] = [];
  const answers: string[] = [];
  let left = false;
  let status = "";
  const screen: ChatScreen = {
    colours: false,
    columns: 100,
    lively: false,
    print: (text) => void printed.push(text),
    setLive: () => {},
    setStatus: (text) => void (status = text),
    refresh: () => {},
    next: async () => undefined,
    push: () => {},
    ask: async (question) => {
      printed.push(question);
      return answers.shift() ?? "";
    },
    refuseQuestions: () => {},
    [Symbol.dispose]: () => {},
  };
  const flags = { root: join(base, "root"), store: join(base, "store"), agent: options.agent ?? `agent-${++agents}` };
  const model = options.model === false ? {} : { model: "local/scripted", baseUrl: provider.openAiUrl };
  const settings = resolveSettings({ ...flags, ...model }, { XDG_CONFIG_HOME: join(base, "config") });
  const conversation = await openConversation({
    settings,
    screen,
    style: createStyle(false),
    onLeave: () => void (left = true),
    onWake: () => {},
    ...(options.resume !== undefined && { resume: options.resume }),
  });
  return {
    conversation,
    requests: provider.requests,
    answers,
    left: () => left,
    status: () => status,
    async say(line) {
      printed.length = 0;
      await conversation.take(line);
      return printed.join("\n");
    },
    async [Symbol.asyncDispose]() {
      await conversation[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const questions = ({ turns }: NormalisedRequest): number => turns.filter(({ role }) => role === "user").length;
const count: Script = (request) => ({ text: `questions: ${questions(request)}` });

test("a message is expanded, answered and counted; a command answers itself", async () => {
  await using chat = await open(count);
  expect(await chat.say("what is in @a.md:2?")).toMatch(/\+ file:\/\/\/a\.md \(1 lines\)\nquestions: 1/);
  expect(chat.status()).toMatch(/^local\/scripted · pinned 0\/100k · context [\d.]+k\/150k · 3 sources · \d streams?$/);
  expect(await chat.say("/context")).toContain("KIND");
  expect(await chat.say("/help")).toMatch(/\/pin ADDRESS[\s\S]*\/rewind NAME/);
  expect(await chat.say("/nonsense")).toMatch(/no command \/nonsense/);
  expect(chat.conversation.commands("ma").map(({ name }) => name)).toEqual(["mark"]);
  expect(chat.conversation.interrupt()).toBe(false);
  await chat.say("/exit");
  expect(chat.left()).toBe(true);
});

test("going back to a mark hides what came after, and a copy goes its own way", async () => {
  await using chat = await open(count);
  await chat.say("one");
  expect(await chat.say("/mark")).toContain("name of one word");
  await chat.say("/mark here");
  await chat.say("two");
  await chat.say("/fork");
  expect(await chat.say("three")).toContain("questions: 3");
  expect(await chat.say("/rewind here")).toContain('There is no mark "here"');
  await chat.say("/mark copy");
  await chat.say("four");
  expect(await chat.say("/rewind copy")).toContain("Back at copy");
  expect(await chat.say("five")).toContain("questions: 4");
  expect(await chat.say("/clear")).toContain("A new conversation");
  expect(await chat.say("/conversations")).toMatch(/\* .*0 messages/);
});

test("a conversation can be chosen, and its last words are shown", async () => {
  const agent = `agent-${++agents}`;
  {
    await using chat = await open(count, { agent });
    await chat.say("the first");
    await chat.say("/clear");
    await chat.say("the second");
  }
  const choosing = open(count, { agent, resume: { kind: "choose" } });
  await using fresh = await choosing;
  expect(await fresh.say("on")).toContain("questions: 1");
  await using latest = await open(count, { agent, resume: { kind: "latest" } });
  expect(await latest.say("on")).toMatch(/questions: [23]/);
  await using none = await open(count, { resume: { kind: "latest" } });
  expect(await none.say("on")).toContain("questions: 1");
  await expect(open(count, { resume: { kind: "id", id: "none" } })).rejects.toThrow("No conversation has the id");
});

test("/remember keeps a sentence, and without one what the model proposes and the person agrees to", async () => {
  await using chat = await open((request) =>
    request.tools.length === 0 ? { text: "Here:\n- Use tabs.\n- Ports begin at 3000." } : { text: "noted" },
  );
  expect(await chat.say("/remember")).toContain("nothing to remember");
  expect(await chat.say("/remember Tests run with npm test")).toContain("Remembered in ikigai:///");
  await chat.say("we use tabs");
  chat.answers.push("y", "n");
  const shown = await chat.say("/remember");
  expect(shown).toMatch(/\+ Use tabs\. \(\d+ tokens\)[\s\S]*Remembered[\s\S]*\+ Ports begin at 3000/);
  expect(shown.match(/Remembered in/g)).toHaveLength(1);
});

test("without a model a message says how to set one, and a wrong one leaves the old in place", async () => {
  await using chat = await open(count, { model: false });
  expect(await chat.say("hi")).toMatch(/no model[\s\S]*--model/);
  expect(await chat.say("/model")).toContain("There is no model.");
  expect(await chat.say("/model nonsense")).toContain("does not name a model");
  expect(await chat.say("/model openai/gpt")).toContain("There is no key for openai");
  expect(await chat.say("/model local/x http://127.0.0.1:9/v1")).toContain(
    "The model is local/x at http://127.0.0.1:9/v1",
  );
  await chat.conversation.wake();
  expect(await chat.conversation.findNames(false, "a")).toBeDefined();
  expect(await chat.conversation.findNames(true, "a")).toBeDefined();
  chat.conversation.onUnfold();
});
