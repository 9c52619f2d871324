import { createInterface } from "node:readline";
import { keyOf } from "../text/choice.ts";
import { escapeText } from "../text/escape-text.ts";
import {
  type ChatScreen,
  createQuestionQueue,
  createSubmissions,
  type ScreenEvents,
  typedText,
} from "./chat-screen.ts";
import { createLineQuestions } from "./line-questions.ts";

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
  const questions = createLineQuestions(output);
  let unfinished = "";
  /** Whether the last row holds a prompt and nothing else of ours. */
  let isPrompted = false;
  const interrupt = (): void => {
    questions.answer(undefined);
    events.onInterrupt();
  };

  lines.on("line", (line) => {
    isPrompted = false;
    const late = questions.takeExpired();
    if (questions.answer(line)) return;
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
  lines.on("close", () => {
    questions.answer(undefined);
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
    ask: (text, signal) => inTurn(async () => (await questions.read(text, signal)) ?? ""),
    choose: (choice, signal) => inTurn(() => questions.choose(choice, signal)),
    async lend(work) {
      lines.pause();
      try {
        return await work();
      } finally {
        lines.resume();
      }
    },
    refuseQuestions: questions.refuse,
    [Symbol.dispose]() {
      process.removeListener("SIGINT", interrupt);
      lines.close();
    },
  };
}
