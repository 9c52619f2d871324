import { createInterface } from "node:readline";
import type { ChatScreen, ScreenEvents } from "./chat-screen.ts";
import { createSubmissions } from "./chat-screen.ts";

const PROMPT = "> ";
const COLUMNS = 80;

/** Lines in, lines out: for terminals that cannot move their cursor. A trailing backslash goes on in the next line. */
export function openPlainScreen(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  events: Pick<ScreenEvents, "onInterrupt">,
): ChatScreen {
  const submissions = createSubmissions();
  const lines = createInterface({ input, terminal: false });
  let question: ((answer: string) => void) | undefined;
  let refusing = false;
  let unfinished = "";
  const interrupt = (): void => {
    question?.("");
    question = undefined;
    events.onInterrupt();
  };
  lines.on("line", (line) => {
    if (question !== undefined) {
      const answer = question;
      question = undefined;
      return answer(line);
    }
    if (line.endsWith("\\")) unfinished += `${line.slice(0, -1)}\n`;
    else {
      submissions.push(unfinished + line);
      unfinished = "";
    }
  });
  lines.on("close", () => {
    question?.("");
    submissions.push(undefined);
  });
  process.on("SIGINT", interrupt);
  return {
    colours: false,
    columns: COLUMNS,
    lively: false,
    print: (text) => void output.write(`${text}\n`),
    setLive: () => {},
    setStatus: () => {},
    refresh: () => {},
    next() {
      output.write(PROMPT);
      return submissions.next();
    },
    push: (text) => submissions.push(text),
    ask(text) {
      if (refusing) return Promise.resolve("");
      output.write(text);
      return new Promise((resolve) => (question = resolve));
    },
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
