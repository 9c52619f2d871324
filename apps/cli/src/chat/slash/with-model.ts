import { askPlainly, completeHistory, type Message, proposeCompaction } from "@ikigai/agent";
import { IkigaiError } from "@ikigai/core";
import { renderDiff } from "../../render-diff.ts";
import type { ChatCommand } from "../chat-commands.ts";
import type { ChatContext } from "../chat-context.ts";

const REMEMBER = `You choose what an agent should remember beyond this conversation: rules, decisions, preferences, names and facts that will
matter again. Write each as one short Markdown bullet. Repeat nothing that is remembered already. Answer with the bullets only.`;
const MEMORY = "blocks/memory.md";
const ASSETS = "ikigai";
const DIFF_LINES = 80;
const LONGEST_TRANSCRIPT = 60_000;

const compact: ChatCommand = {
  name: "compact",
  usage: "ADDRESS",
  description: "let the model shorten a text, and write it when you agree",
  async run(args, chat) {
    if (args === "") {
      throw new IkigaiError("invalid_input", "What should be shortened?", {
        hint: "Write /compact ADDRESS, such as /compact ikigai:///blocks/decisions.md; /context shows what is pinned.",
      });
    }
    const { uri, text, version } = await readTarget(chat, args);
    const { agent, signal, say } = chat;
    say(`Asking the model to shorten ${uri} …`);
    const proposal = await proposeCompaction(text, { model: await agent.model(), count: agent.count, signal });
    say(`${uri}: ${proposal.tokensBefore} tokens now, ${proposal.tokensAfter} after.`);
    await applyProposal(chat, uri, text, proposal.text, version);
  },
};

const remember: ChatCommand = {
  name: "remember",
  usage: "[what]",
  description: "let the model note what matters beyond this conversation, when you agree",
  async run(args, chat) {
    const { agent, store, conversation, signal, count } = { ...chat, count: chat.agent.count };
    const target = await readTarget(chat, MEMORY).catch((error: unknown) => {
      if (IkigaiError.is(error, "not_found") && chat.host.sources.status().some(({ mount }) => mount === ASSETS))
        return { uri: `${ASSETS}:///${MEMORY}`, text: "", version: undefined };
      throw error;
    });
    const told = args === "" ? transcript(await store.conversations.messages(conversation)) : args;
    if (told === "") throw new IkigaiError("not_found", "There is nothing to remember yet");
    const question = `Remembered already:\n${target.text || "(nothing)"}\n\nThe conversation:\n${told}`;
    const bullets = await askPlainly(REMEMBER, question, { model: await agent.model(), signal });
    const after = `${target.text === "" || target.text.endsWith("\n") ? target.text : `${target.text}\n`}${bullets}\n`;
    chat.say(`${target.uri}: ${count(target.text)} tokens now, ${count(after)} after.`);
    await applyProposal(chat, target.uri, target.text, after, target.version);
  },
};

export const MODEL_COMMANDS: readonly ChatCommand[] = [compact, remember];

/** The text of an address, or of an asset by its short name. */
async function readTarget(
  { host }: ChatContext,
  place: string,
): Promise<{ uri: string; text: string; version: string | undefined }> {
  const names = /:\/\/\/|^[./]/.test(place)
    ? [place]
    : [`${ASSETS}:///${place}`, `${ASSETS}:///${place}.md`, `${ASSETS}:///blocks/${place}.md`, place];
  let failure: unknown;
  for (const name of names) {
    try {
      const route = host.sources.route(name);
      const found = await route.source.read(route.address.path);
      if (found !== undefined) return { uri: route.uri, ...found };
    } catch (error) {
      failure = error;
    }
  }
  throw failure ?? new IkigaiError("not_found", `${place} leads to nothing`);
}

/**
 * Shows what would change and writes it when the person agrees.
 *
 * Contract: written through the registry, so policy, budget and journal have their say; asked exactly once.
 */
async function applyProposal(
  { host, agent, conversation, colours, print, say, ask, signal }: ChatContext,
  uri: string,
  before: string,
  after: string,
  version: string | undefined,
): Promise<void> {
  const input = { path: uri, content: after, ...(version !== undefined && { expected: version }) };
  const call = { name: "file_write", arguments: JSON.stringify(input) };
  const options = { agent: agent.name, conversation, signal };
  const { verdicts } = await host.registry.plan(call, options);
  if (verdicts.every(({ decision }) => decision === "allow")) {
    print(renderDiff(before, after, DIFF_LINES, colours));
    if (!/^y(es)?$/i.test((await ask("Write it? [y/N] ")).trim())) return say("Nothing was changed.");
  }
  const envelope = await host.registry.call(call, options);
  say(envelope.success ? `Wrote ${uri}.` : `Nothing was changed. ${envelope.error}`);
}

function transcript(messages: readonly Message[]): string {
  const lines = completeHistory(messages).flatMap((message) =>
    message.role === "tool" || message.text === "" ? [] : [`${message.role}: ${message.text}`],
  );
  return lines.join("\n").slice(-LONGEST_TRANSCRIPT);
}
