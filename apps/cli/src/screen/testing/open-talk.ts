import { join } from "node:path";
import { type MockProvider, type Script, startMockProvider } from "@ikigai/agent/testing";
import { choicePrompt, createStyle, keyOf, notAKey } from "@ikigai/terminal";
import { resolveSettings } from "../../settings.ts";
import type { Resume } from "../../command-line.ts";
import { type Conversation, openConversation } from "../conversation.ts";
import type { ChatScreen } from "@ikigai/terminal/screen";

/** A conversation in this process, without a terminal. */
export interface Talk extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly provider: MockProvider;
  /** What was printed when it was opened. */
  readonly greeting: string;
  /** Sends a line and gives what was printed for it. */
  say(line: string): Promise<string>;
  /** What the person answers, in order. */
  readonly answers: string[];
  readonly left: () => boolean;
  readonly status: () => string;
}

export interface TalkOptions {
  readonly agent: string;
  readonly resume?: Resume;
  /** Default true. */
  readonly model?: boolean;
}

/** Contract: `base` holds the folders `root`, `store` and `config`. */
export async function openTalk(base: string, script: Script, options: TalkOptions): Promise<Talk> {
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
    async choose(choice) {
      printed.push(choicePrompt(choice));
      for (let typed = answers.shift(); typed !== undefined; typed = answers.shift()) {
        const key = keyOf(typed, choice);
        if (key !== undefined) return key;
        printed.push(notAKey(typed, choice));
      }
      return undefined;
    },
    refuseQuestions: () => {},
    [Symbol.dispose]: () => {},
  };
  const flags = { root: join(base, "root"), store: join(base, "store"), agent: options.agent };
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
    provider,
    greeting: printed.join("\n"),
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
