import { createInterface } from "node:readline";
import { type Choice, choicePrompt, keyOf, notAKey } from "../text/choice.ts";
import { escapeText } from "../text/escape-text.ts";
import {
  type ChatScreen,
  createQuestionQueue,
  createSubmissions,
  type ScreenEvents,
  typedText,
} from "./chat-screen.ts";

const PROMPT = "> ";
const COLUMNS = 80;
/** Takes the newest queued message back, where no key can. */
const TAKE_BACK = "/unsend";

/** Lines in, lines out: for terminals that cannot move their cursor. A trailing backslash goes on in the next line. */
export function openPlainScreen(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  events: Pick<ScreenEvents, "onInterrupt">,
): ChatScreen {
  const submissions = createSubmissions();
  const lines = createInterface({ input, terminal: false });
  const inTurn = createQuestionQueue();
  let question: ((answer: string | undefined) => void) | undefined;
  /** The keys of a question that was taken away: a late answer to it is no message. */
  let expired: Choice | undefined;
  let refusing = false;
  let unfinished = "";
  /** Whether the last row holds a prompt and nothing else of ours. */
  let isPrompted = false;
  const interrupt = (): void => {
    question?.(undefined);
    events.onInterrupt();
  };
  lines.on("line", (line) => {
    isPrompted = false;
    const late = expired;
    expired = undefined;
    if (question !== undefined) return question(line);
    if (late !== undefined && keyOf(line, late) !== undefined) {
      output.write(`The question is gone: ${JSON.stringify(line.trim())} answered nothing.\n${PROMPT}`);
    } else if (unfinished === "" && line.trim() === TAKE_BACK) {
      const back = submissions.takeBack();
      output.write(back === undefined ? `(nothing is queued)\n${PROMPT}` : `(taken back: ${escapeText(back.text)})\n`);
    } else if (line.endsWith("\\")) unfinished += `${line.slice(0, -1)}\n`;
    else {
      if (!submissions.push(typedText(unfinished + line)) && line.trim() !== "")
        output.write(`(queued: it is sent after this turn; ${TAKE_BACK} takes it back)\n`);
      unfinished = "";
    }
  });

  /** The next line; `undefined` when the person stops the turn, the input ends, or `signal` takes the question away. */
  function readAnswer(prompt: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (refusing || signal?.aborted === true) return Promise.resolve(undefined);
    output.write(prompt);
    return new Promise((resolve) => {
      const settle = (answer: string | undefined): void => {
        question = undefined;
        signal?.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      const onAbort = (): void => {
        output.write("\n");
        settle(undefined);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      question = settle;
    });
  }

  async function choose(choice: Choice, signal: AbortSignal | undefined): Promise<string | undefined> {
    for (;;) {
      const line = await readAnswer(choicePrompt(choice), signal);
      if (line === undefined) {
        if (signal?.aborted === true) expired = choice;
        return undefined;
      }
      const key = keyOf(line, choice);
      if (key !== undefined) return key;
      output.write(`${notAKey(line, choice)}\n`);
    }
  }

  lines.on("close", () => {
    question?.(undefined);
    submissions.push(undefined);
  });
  process.on("SIGINT", interrupt);
  return {
    colours: false,
    columns: COLUMNS,
    lively: false,
    print(text) {
      output.write(`${isPrompted ? "\n" : ""}${text}\n`);
      isPrompted = false;
    },
    setLive: () => {},
    setStatus: () => {},
    refresh: () => {},
    next() {
      output.write(PROMPT);
      isPrompted = true;
      return submissions.next();
    },
    push: (text) => submissions.push(typedText(text)),
    ask: (text, signal) => inTurn(async () => (await readAnswer(text, signal)) ?? ""),
    choose: (choice, signal) => inTurn(() => choose(choice, signal)),
    async lend(work) {
      lines.pause();
      try {
        return await work();
      } finally {
        lines.resume();
      }
    },
    refuseQuestions: (refuse) => void (refusing = refuse),
    [Symbol.dispose]() {
      process.removeListener("SIGINT", interrupt);
      lines.close();
    },
  };
}
