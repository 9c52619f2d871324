import { type Choice, choicePrompt, keyOf, notAKey } from "@ikigai/terminal";
import { type Key, readKeys } from "@ikigai/terminal/screen";
import { forPerson } from "./terminal.ts";

const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";
/** Long enough for what waits in the terminal to be read. */
const SETTLE_MS = 30;

/**
 * One key at the terminal of this process, outside of a conversation.
 *
 * Contract: what was typed before the question is shown, and what is pasted, answers nothing. Ctrl-C interrupts the
 * process as it would without a question. The terminal is given back however it ends.
 */
export async function chooseByKey(choice: Choice, signal: AbortSignal | undefined): Promise<string | undefined> {
  if (signal?.aborted === true) return undefined;
  const prompt = forPerson(choicePrompt(choice));
  const isDumb = process.env["TERM"] === "dumb";
  const write = (text: string): void => void process.stderr.write(text);
  return new Promise((resolve) => {
    let isShown = false;
    let isOver = false;
    const end = (answer: string | undefined): void => {
      isOver = true;
      keys[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
      write(`${answer ?? ""}${isDumb ? "" : PASTE_OFF}\n`);
      resolve(answer);
    };
    const onAbort = (): void => end(undefined);
    const onKey = ({ name, ctrl, text }: Key): void => {
      // Keys that came together with the one that answered.
      if (isOver) return;
      if (ctrl && name === "c") {
        end(undefined);
        process.kill(process.pid, "SIGINT");
        return;
      }
      if (!isShown) return;
      if (ctrl && name === "d") return end(undefined);
      const isPaste = name === "paste" || text.length > 1;
      const answer = isPaste ? undefined : keyOf(text, choice);
      if (answer !== undefined) return end(answer);
      write(`\n${forPerson(notAKey(isPaste ? "" : text, choice))}\n${prompt}`);
    };
    // Single letters need nothing of the terminal but pastes told apart, and its answer to more could come too late.
    const keys = readKeys(process.stdin, () => {}, onKey, {});
    if (!isDumb) write(PASTE_ON);
    signal?.addEventListener("abort", onAbort, { once: true });
    // The timer alone might come before the terminal was read once.
    setTimeout(() => {
      setImmediate(() => {
        isShown = true;
        if (!isOver) write(prompt);
      });
    }, SETTLE_MS);
  });
}
