import { IkigaiError } from "@ikigai/core";
import { table } from "../../commands/sources.ts";
import type { ChatCommand } from "../chat-commands.ts";
import { HOW_TO_SET_A_MODEL } from "../choose-model.ts";
import { context } from "./context.ts";

const help: ChatCommand = {
  name: "help",
  description: "what can be typed here",
  async run(_, { commands, say, print, style }) {
    for (const line of table(
      commands.list().map(({ name, usage, description }) => [`/${name} ${usage ?? ""}`, description]),
    ))
      say(line);
    print(
      style.dim(
        [
          "@path brings in a file, @@path an asset, @path:10-20 some lines; both open a finder.",
          "Alt-Enter or a trailing \\ makes a new line. Ctrl-F browses files, Ctrl-A assets, Ctrl-O unfolds the last result.",
          "Ctrl-C stops the turn; twice, or Ctrl-D, leaves.",
        ].join("\n"),
      ),
    );
  },
};

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
  async run(_, { store, agent, conversation, switchTo, say }) {
    const before = await conversation();
    switchTo(await store.conversations.create(agent.name));
    say(`A new conversation. The one before is ${before}.`);
  },
};

const fork: ChatCommand = {
  name: "fork",
  description: "go on in a copy of this conversation",
  async run(_, { store, conversation, switchTo, say }) {
    const original = await conversation();
    const copy = await store.conversations.fork(original);
    switchTo(copy);
    say(`Now in ${copy}, a copy of ${original}.`);
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
  usage: "NAME",
  description: "go back to a mark",
  async run(args, { store, agent, conversation, say }) {
    const { conversations } = store;
    const id = await conversation();
    await conversations.rewind(id, requireName(args, "/rewind NAME"));
    // What was left out and summarised is looked at anew: some of it may not have happened now.
    const manifest = await conversations.lastManifest(id);
    if (manifest !== undefined) {
      const { summary: _, ...rest } = manifest;
      await conversations.saveManifest(id, { ...rest, evicted: 0 });
    }
    agent.forget(id);
    say(`Back at ${args}. What the tools changed since then stays changed.`);
  },
};

const conversations: ChatCommand = {
  name: "conversations",
  description: "list the conversations there are",
  async run(_, { store, agent, conversation, say }) {
    const current = await conversation();
    for (const { id, updated_at, title, messages } of await store.conversations.list(agent.name))
      say(`${id === current ? "*" : " "} ${id}  ${updated_at}  ${messages} messages  ${title}`);
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

function requireName(args: string, usage: string): string {
  if (/^\S+$/.test(args)) return args;
  throw new IkigaiError("invalid_input", "A mark has a name of one word", { hint: `Write ${usage}.` });
}

function at(baseUrl: string | undefined): string {
  return baseUrl === undefined ? "" : ` at ${baseUrl}`;
}
