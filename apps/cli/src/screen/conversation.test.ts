import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NormalisedRequest, Script } from "@ikigai/agent/testing";
import { stopKeeper } from "@ikigai/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMain } from "../testing/open-workspace.ts";
import { openTalk, type Talk, type TalkOptions } from "./testing/open-talk.ts";

let base: string;
let agents = 0;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "ikigai-conversation-"));
  await mkdir(join(base, "root"));
  await writeFile(join(base, "root", "a.md"), "one\ntwo\n");
  // The engine is started here, so that no test waits for it.
  await runMain(["--root", join(base, "root"), "--store", join(base, "store"), "pinned"]);
}, 90_000);
afterAll(async () => {
  await stopKeeper(join(base, "store", "postgres"));
  await rm(base, { recursive: true, force: true });
});

const open = (script: Script, options: Partial<TalkOptions> = {}): Promise<Talk> =>
  openTalk(base, script, { ...options, agent: options.agent ?? `agent-${++agents}` });

const questions = ({ turns }: NormalisedRequest): number => turns.filter(({ role }) => role === "user").length;
const count: Script = (request) => ({ text: `questions: ${questions(request)}` });

test("a message is expanded, answered and counted; a command answers itself", async () => {
  await using chat = await open(count);
  expect(await chat.say("what is in @a.md:2?")).toMatch(/\+ file:\/\/\/a\.md \(1 line\)\nquestions: 1/);
  expect(chat.status()).toMatch(
    /^local\/scripted · ask · pinned 0\/100k · context [\d.]+k\/150k · used \d+\+\d+ · 3 sources · \d streams?$/,
  );
  expect(await chat.say("/context")).toContain("KIND");
  expect(await chat.say("/help")).toMatch(/\/pin ADDRESS[\s\S]*\/rewind \[NAME\]/);
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
  expect(await chat.say("/conversations")).toMatch(/8 messages[^]*4 messages/);
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
  await chat.say("/remember the user's  dog");
  await chat.say('/remember "quoted"');
  expect(await chat.say("/diff remembered")).toContain("- the user's  dog\n+- quoted\n");
  await chat.say("we use tabs");
  chat.answers.push("y", "n");
  const shown = await chat.say("/remember");
  expect(shown).toMatch(
    /Worth keeping \(\d+ tokens\):\n {2}│ Use tabs\.\n[\s\S]*Remembered[\s\S]*│ Ports begin at 3000/,
  );
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

test("the latest conversation is the one in which something was said last, not one that was only opened", async () => {
  const agent = `agent-${++agents}`;
  const first = await open(count, { agent });
  {
    await using second = await open(count, { agent });
    await second.say("in the second");
    await using _opened = await open(count, { agent });
  }
  await first.say("in the first");
  await first[Symbol.asyncDispose]();
  await using again = await open(count, { agent, resume: { kind: "latest" } });
  expect(again.greeting).toBe("> in the first\nquestions: 1");
});

test("a /compact by the model asks once, with the change; undo brings the longer text back", async () => {
  const long = "Decision one: use tabs. ".repeat(20);
  const steps = [
    { name: "file_write", input: { path: "ikigai:///blocks/plan.md", content: long } },
    { name: "slash_command", input: { command: "/compact plan" } },
  ];
  await using chat = await open((request) => {
    if (request.tools.length === 0) return { text: "Decision one: use tabs." };
    const step = steps[request.turns.filter(({ role }) => role === "result").length];
    return step === undefined ? { text: "shortened" } : { calls: [step] };
  });
  chat.answers.push("y", "n");
  const refused = await chat.say("shorten it");
  expect(refused).toMatch(/Allow it\?[\s\S]*Compact .* tokens\)\?[\s\S]*-Decision one[\s\S]*Agreed\? \[y\] yes/);
  expect(refused.match(/Allow it\?|Agreed\?/g)).toEqual(["Allow it?", "Agreed?"]);
  expect(refused).toContain("did not agree");
  steps.push({ name: "slash_command", input: { command: "/compact plan" } });
  chat.answers.push("y");
  const agreed = await chat.say("once more");
  expect(agreed.match(/Allow it\?|Agreed\?/g)).toEqual(["Agreed?"]);
  expect(agreed).toMatch(/Compacted .* → \d+ tokens/);
  expect(await chat.say("/history plan")).toMatch(/compact \d+ → \d+ tokens/);
  await chat.say("/undo plan");
  expect(await chat.say("say @@plan")).toContain("+ ikigai:///blocks/plan.md");
  expect(JSON.stringify(chat.provider.requests.at(-1)?.turns.at(-1))).toContain(long);
});

test("what a command of the model would do is shown with the question", async () => {
  await using chat = await open((request) =>
    request.turns.some(({ role }) => role === "result")
      ? { text: "ok" }
      : { calls: [{ name: "slash_command", input: { command: "/remember tabs" } }] },
  );
  chat.answers.push("y");
  const shown = await chat.say("go");
  expect(shown).toMatch(/│ \/remember tabs/);
  expect(shown.match(/Allow it\?/g)).toHaveLength(1);
});

test("a tool that needs consent is asked for each time, though it touches nothing", async () => {
  await mkdir(join(base, "config", "ikigai"), { recursive: true });
  const config = join(base, "config", "ikigai", "ikigai.config.json");
  const shy = { name: "shy", rules: { requires_consent: ["slash_command"] } };
  await writeFile(config, JSON.stringify({ agents: [shy] }));
  try {
    await using chat = await open(
      (request) =>
        request.turns.at(-1)?.role === "result"
          ? { text: "ok" }
          : { calls: [{ name: "slash_command", input: { command: "/pinned" } }] },
      { agent: "shy" },
    );
    chat.answers.push("y");
    expect(await chat.say("look")).toMatch(
      /because the agent shy needs consent[^]*Allow it\? \[y\] once {2}\[n\] no {2}\[r\] no, and say why {2}\[d\] details: /,
    );
    chat.answers.push("r", "not now");
    expect(await chat.say("look again")).toMatch(/Allow it\?[^]*refused[^]*not now/);
  } finally {
    await rm(config);
  }
});

test("/context shows earlier requests, and what changed since the one before each", async () => {
  await using chat = await open(count);
  expect(await chat.say("/context")).toBe("Nothing was sent yet.");
  expect(await chat.say("/context 1")).toMatch(/Nothing is recorded for \/context 1\nNothing was sent yet/);
  await chat.say("/remember tabs");
  await chat.say("/unpin remembered");
  await chat.say("one");
  await chat.say("/pin remembered");
  await chat.say("two");
  await chat.say("three");
  expect(await chat.say("/context")).toMatch(
    /;\srequest\s3,\sturn\s3,\s.*Z;\schanges\ssince\sthe\sturn\sbefore;\s\/context\s2\sshows/,
  );
  const second = await chat.say("/context 2");
  expect(second).toMatch(/pinned +ikigai:\/\/\/\S+ +\S+ +\d+ +new +pinned/);
  expect(second).toMatch(/request 2, turn 2, .*changes since request 1 \(turn 1\)/);
  expect(await chat.say("/context 1")).not.toContain("pinned");
  expect(await chat.say("/context --turn 3")).toMatch(/pinned +ikigai:\/\/\/\S+ +\S+ +\d+ +same/);
  expect(await chat.say("/context 9")).toContain("There are requests 1 to 3; the last is of turn 3.");
  expect(await chat.say("/context x")).toContain("Write /context, /context N or /context --turn N.");
});
