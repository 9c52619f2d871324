import { IkigaiError } from "@ikigai/core";
import type { ChatCommand } from "../chat-commands.ts";
import { conversationLine, HOW_TO_SET_A_MODEL, listConversations, shortId } from "@ikigai/host/agent";
import { wrapLine } from "@ikigai/terminal";
import { context } from "./context.ts";

const FIRST_WORDS = 40;

const help: ChatCommand = {
  name: "help",
  description: "what can be typed here",
  async run(_, { commands, say, print, style, columns }) {
    for (const line of commandLines(commands.list(), columns)) say(line);
    print(style.dim(KEY_LINES.flatMap((line) => wrapLine(line, columns - 1)).join("\n")));
  },
};

const KEY_LINES: readonly string[] = [
  "",
  "@path brings in a file, @@path an asset, @path:10-20 some lines, @folder/ its listing.",
  "Shift-Enter, Alt-Enter or a \\ at the end makes a new line.",
  "Ctrl-F browses files, Ctrl-T assets, Ctrl-R searches what was sent.",
  "Ctrl-O unfolds the last result, Ctrl-G opens your editor.",
  "Ctrl-C stops the turn; twice, or Ctrl-D, leaves. Ctrl-Z stops the program.",
];
const MOST_NAME = 30;

/** Commands and what they do. Contract: no line is as wide as the terminal. */
function commandLines(list: readonly ChatCommand[], columns: number): string[] {
  const names = list.map(({ name, usage }) => `/${name}${usage === undefined ? "" : ` ${usage}`}`);
  const widest = Math.max(...names.map((name) => name.length).filter((length) => length <= MOST_NAME));
  const indent = " ".repeat(widest + 2);
  return list.flatMap(({ description }, at) => {
    const name = names[at] ?? "";
    const told = wrapLine(description, columns - 1 - indent.length);
    if (name.length <= widest) return told.map((row, line) => `${line === 0 ? name.padEnd(widest + 2) : indent}${row}`);
    return [...wrapLine(name, columns - 1, { indent: "  " }), ...told.map((row) => `${indent}${row}`)];
  });
}

const model: ChatCommand = {
  name: "model",
  usage: "[provider/model] [base-url]",
  description: "show the model, or switch it",
  async run(args, { agent, say }) {
    const [name, baseUrl] = args.split(/\s+/).filter((word) => word !== "");
    if (name !== undefined) await agent.useModel(name, baseUrl);
    const { choice } = agent;
    say(
      choice === undefined
        ? `There is no model.\n${HOW_TO_SET_A_MODEL}`
        : `The model is ${choice.model}${at(choice.baseUrl)}.`,
    );
  },
};

const clear: ChatCommand = {
  name: "clear",
  description: "start afresh; the old conversation stays",
  async run(_, { store, agent, conversation, workspace, switchTo, say }) {
    const before = await conversation();
    const said = (await store.conversations.messages(before)).length > 0;
    switchTo(await store.conversations.create(agent.name, workspace));
    await store.conversations.discardEmpty(before);
    say(
      said ? `A new conversation. The one before is kept: ikigai --resume ${shortId(before)}` : "A new conversation.",
    );
  },
};

const fork: ChatCommand = {
  name: "fork",
  description: "go on in a copy of this conversation",
  async run(_, { store, conversation, switchTo, say }) {
    const original = await conversation();
    const copy = await store.conversations.fork(original);
    switchTo(copy);
    say(`Now in ${shortId(copy)}, a copy of ${shortId(original)}.`);
  },
};

const mark: ChatCommand = {
  name: "mark",
  usage: "NAME",
  description: "name this point, to come back to",
  async run(args, { store, conversation, say }) {
    await store.conversations.mark(await conversation(), requireName(args, "/mark NAME"));
    say(`Marked. /rewind ${args} comes back here.`);
  },
};

const rewind: ChatCommand = {
  name: "rewind",
  usage: "[NAME]",
  description: "take back the last question and its answer, or go back to a mark",
  async run(args, { store, agent, conversation, say }) {
    const { conversations } = store;
    const id = await conversation();
    const last = args === "" ? (await conversations.messages(id)).findLast(({ role }) => role === "user") : undefined;
    if (args === "" && last === undefined)
      throw new IkigaiError("not_found", "Nothing was asked yet", { hint: "Write a message first." });
    if (last === undefined) await conversations.rewind(id, requireName(args, "/rewind NAME"));
    else await conversations.rewindBefore(id, last.id);
    // What was left out and summarised is looked at anew: some of it may not have happened now.
    const manifest = await conversations.lastManifest(id);
    if (manifest !== undefined) {
      const { summary: _, ...rest } = manifest;
      await conversations.saveManifest(id, { ...rest, evicted: 0 });
    }
    agent.forget(id);
    const where = last?.role === "user" ? `before "${firstWords(last.text)}"` : `at ${args}`;
    say(`Back ${where}. What the tools changed since then stays changed; /undo takes the last change back.`);
  },
};

const conversations: ChatCommand = {
  name: "conversations",
  description: "list the conversations of this folder",
  async run(_, { store, agent, conversation, workspace, say }) {
    const current = await conversation();
    const all = await listConversations(store.conversations, agent.name);
    const here = all.filter((one) => (one.workspace ?? workspace) === workspace);
    for (const one of here) say(`${one.id === current ? "*" : " "} ${conversationLine(one)}`);
    if (here.length === 0) say("Nothing was said in this folder yet.");
    const others = all.length - here.length;
    if (others > 0) say(`${others} more in other folders: ikigai conversations --all`);
  },
};

const exit: ChatCommand = {
  name: "exit",
  description: "leave",
  async run(_, { leave }) {
    leave();
  },
};

export const BASIC_COMMANDS: readonly ChatCommand[] = [
  help,
  model,
  context,
  clear,
  fork,
  mark,
  rewind,
  conversations,
  exit,
];

function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > FIRST_WORDS ? `${line.slice(0, FIRST_WORDS - 1)}…` : line;
}

function requireName(args: string, usage: string): string {
  if (/^\S+$/.test(args)) return args;
  throw new IkigaiError("invalid_input", "A mark has a name of one word", { hint: `Write ${usage}.` });
}

function at(baseUrl: string | undefined): string {
  return baseUrl === undefined ? "" : ` at ${baseUrl}`;
}
